// What our handlers would hand to the engine, without what they do for it.
const added = { stateOnDestroy: "leave", account: "default" };

exports.handlers = {
  check: async (_olds, { webhookId, state }) => ({ inputs: { webhookId, state, ...added } }),
  diff: async () => ({ changes: false, replaces: [] }),
  create: async (inputs) => ({ id: String(inputs.webhookId), outs: { ...inputs, initialState: "disabled" } }),
  read: async (id, props) => {
    const { webhookId, state } = props;
    return { id, props, inputs: { webhookId, state, ...added } };
  },
  update: async (_id, _olds, news) => ({ outs: news }),
  delete: async () => {},
};
