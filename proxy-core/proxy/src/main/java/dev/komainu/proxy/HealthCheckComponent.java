package dev.komainu.proxy;

import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.intermediary.lifecycle.SettingsChange;
import dev.komainu.intermediary.upstream.HealthChecks;
import org.jspecify.annotations.Nullable;

/** The active checks of the origin servers, on the first event loop. */
final class HealthCheckComponent implements Component<ProxySettings> {

    private final UpstreamComponent upstream;
    private final EventLoopComponent loops;
    /** The checks; null until the component is open. */
    private @Nullable HealthChecks checks;

    HealthCheckComponent(UpstreamComponent upstream, EventLoopComponent loops) {
        this.upstream = upstream;
        this.loops = loops;
    }

    @Override
    public void open() {
        checks = HealthChecks.start(
                upstream.servers().health(), loops.contexts().getFirst().origins());
    }

    @Override
    public void apply(SettingsChange<ProxySettings> change) {
        if (change.isOf(settings -> settings.upstream().health())) {
            close();
            open();
        }
    }

    @Override
    public void close() {
        if (checks != null) {
            checks.close();
        }
    }
}
