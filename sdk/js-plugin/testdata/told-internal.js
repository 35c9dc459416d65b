// An internal plugin that logs what stoa tells it.
import { definePlugin } from 'stoa-plugin/internal';

const hook = ({ name, previousVersion, installationId }) => {
  console.log(`told ${name} ${previousVersion} ${installationId}`);
};

export default definePlugin({
  register(app) {
    app.post('/api/visits', async () => 'ok');
  },
  hooks: { onUpgrade: hook, onEnable: hook, onDisable: hook },
  events: {
    async 'user.registered'(event, { config, platform }) {
      const stored = await platform.storage.update('told', (n = 0) => n + 1);
      console.log(`told ${event.type} ${config.greeting} ${stored}`);
    },
  },
});
