package dev.komainu.proxy;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** A proxy on a free port with a clock that only the test moves. */
final class ProxyFixture implements AutoCloseable {

    final List<TelemetryRecord> records = new CopyOnWriteArrayList<>();
    final AtomicLong millisAhead = new AtomicLong();
    final Proxy proxy;

    ProxyFixture(String... settings) throws IOException {
        Map<String, String> line = new HashMap<>(Map.of(
                "listen",
                "127.0.0.1:0",
                "control.listen",
                "none",
                "purge.allow",
                "127.0.0.1",
                "manager.allow",
                "127.0.0.1"));
        for (int i = 0; i < settings.length; i += 2) {
            line.put(settings[i], settings[i + 1]);
        }
        try {
            proxy = Proxy.start(
                    ProxySettings.read(GivenSettings.reader(Map.of(), Map.of(), line)),
                    clock(),
                    records::add,
                    Map::of);
        } catch (SettingMistakesException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private ProxyClock clock() {
        // The clock does not advance on its own: on a busy machine a second may pass between any
        // two requests.
        long steady = ProxyClock.SYSTEM.steadyMillis();
        long wall = ProxyClock.SYSTEM.wallMillis();
        return new ProxyClock() {
            @Override
            public long steadyMillis() {
                return steady + millisAhead.get();
            }

            @Override
            public long wallMillis() {
                return wall + millisAhead.get();
            }
        };
    }

    RawClient client() throws IOException {
        return new RawClient(proxy.address());
    }

    void passSeconds(long seconds) {
        millisAhead.addAndGet(seconds * 1000);
    }

    @Override
    public void close() {
        proxy.close();
    }
}
