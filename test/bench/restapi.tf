# Follows the provider's documentation for objects that can only be read from a list.
variable "url" {}
variable "token" {}
variable "webhooks" {}

terraform {
  required_providers {
    restapi = { source = "Mastercard/restapi" }
  }
}

provider "restapi" {
  uri            = var.url
  bearer_token   = var.token
  id_attribute   = "webhookId"
  create_method  = "PATCH"
  update_method  = "PATCH"
  destroy_method = "GET" # There is nothing to undo, but the provider must send a request.
}

resource "restapi_object" "webhook" {
  for_each     = { for id in range(1, var.webhooks + 1) : id => "active" }
  path         = "/api/v1/partners/webhooks"
  create_path  = "/api/v1/partners/webhooks/${each.key}/${each.value}"
  update_path  = "/api/v1/partners/webhooks/${each.key}/${each.value}"
  destroy_path = "/api/v1/partners/webhooks"
  read_search  = { search_key = "webhookId", search_value = each.key }
  data         = jsonencode({ webhookId = tonumber(each.key), state = each.value })
}
