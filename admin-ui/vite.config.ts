import vue from '@vitejs/plugin-vue'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { defineConfig } from 'vitest/config'

const OUT = 'target/classes/META-INF/resources'

/** Writes each asset compressed, too: the central service sends what the browser accepts, and compresses nothing again. */
const precompressed = {
  name: 'precompressed',
  apply: 'build' as const,
  closeBundle() {
    const assets = join(import.meta.dirname, OUT, 'assets')
    for (const name of readdirSync(assets).filter((each) => /\.(js|css|svg)$/.test(each))) {
      const content = readFileSync(join(assets, name))
      writeFileSync(join(assets, `${name}.gz`), gzipSync(content, { level: 9 }))
      writeFileSync(join(assets, `${name}.br`), brotliCompressSync(content))
    }
  },
}

// The output folder is the one that Maven packs, so that one `npm run build` serves both.
export default defineConfig({
  base: './', // works below any path prefix of a reverse proxy
  plugins: [vue(), precompressed],
  define: {
    __VUE_OPTIONS_API__: 'false',
    __VUE_PROD_DEVTOOLS__: 'false',
    __VUE_I18N_LEGACY_API__: 'false',
    __INTLIFY_PROD_DEVTOOLS__: 'false',
  },
  build: {
    outDir: OUT,
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
