package dev.komainu.proxy;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.control.ConfigurationReload;
import dev.komainu.intermediary.kit.FrameClient;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.settings.Configuration;
import dev.komainu.settings.SettingMistakesException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A proxy on free ports whose configuration a test can rewrite. */
final class ReloadableProxy implements AutoCloseable {

    final Map<String, String> written = new ConcurrentHashMap<>();
    final Proxy proxy;

    ReloadableProxy(String... settings) throws IOException {
        written.putAll(Map.of("listen", "127.0.0.1:0", "control.listen", "none", "workers", "1"));
        write(settings);
        try {
            proxy = Proxy.start(
                    Configuration.read(
                            () -> GivenSettings.sources(new HashMap<>(written), Map.of(), Map.of()),
                            ProxySettings::read),
                    ProxyClock.SYSTEM,
                    record -> {},
                    Map::of);
        } catch (SettingMistakesException e) {
            throw new IllegalArgumentException(e);
        }
    }

    void write(String... settings) {
        for (int i = 0; i < settings.length; i += 2) {
            written.put(settings[i], settings[i + 1]);
        }
    }

    /** Writes these settings and reloads the configuration. */
    ConfigurationReload.Report reload(String... settings) {
        write(settings);
        return proxy.reload(false);
    }

    RawClient client() throws IOException {
        return new RawClient(proxy.address());
    }

    FrameClient http2() throws IOException {
        return new FrameClient(proxy.address());
    }

    @Override
    public void close() {
        proxy.close();
    }
}
