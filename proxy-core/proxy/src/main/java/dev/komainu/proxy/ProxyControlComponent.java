package dev.komainu.proxy;

import dev.komainu.intermediary.control.ControlSettings;
import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.intermediary.lifecycle.PreparedChange;
import dev.komainu.intermediary.lifecycle.SettingsChange;
import dev.komainu.proxy.control.ControlServer;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The control endpoint. */
final class ProxyControlComponent implements Component<ProxySettings> {

    /** Opens the endpoint. */
    @FunctionalInterface
    interface Opening {
        /**
         * Opens the endpoint.
         *
         * @throws IOException with the address or the token file that cannot be used
         */
        ControlServer open() throws IOException;
    }

    private final Opening opening;
    private @Nullable ControlServer server;

    ProxyControlComponent(Opening opening) {
        this.opening = opening;
    }

    ControlServer get() {
        return Objects.requireNonNull(server);
    }

    @Override
    public void open() throws IOException {
        server = opening.open();
    }

    @Override
    public PreparedChange prepare(SettingsChange<ProxySettings> change) throws IOException {
        ControlSettings next = change.next().control();
        return next == null ? () -> {} : get().prepare(next)::run;
    }

    @Override
    public void close() {
        get().close();
    }
}
