import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'

// The output folder is the one that Maven packs, so that one `npm run build` serves both.
export default defineConfig({
  base: './', // works below any path prefix of a reverse proxy
  plugins: [vue()],
  define: {
    __VUE_OPTIONS_API__: 'false',
    __VUE_PROD_DEVTOOLS__: 'false',
    __VUE_I18N_LEGACY_API__: 'false',
    __INTLIFY_PROD_DEVTOOLS__: 'false',
  },
  build: {
    outDir: 'target/classes/META-INF/resources',
    emptyOutDir: true,
    target: 'es2022',
    // The server's Content-Security-Policy has no data: sources, so nothing is inlined.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 400,
  },
  server: { proxy: { '/api': process.env.KOMAINU_URL ?? 'http://127.0.0.1:7600' } },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
  },
})
