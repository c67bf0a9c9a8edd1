package dev.komainu.organizer;

import dev.komainu.intermediary.control.ConfigurationReload;
import dev.komainu.intermediary.control.ControlSettings;
import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.intermediary.lifecycle.PreparedChange;
import dev.komainu.intermediary.lifecycle.SettingsChange;
import dev.komainu.intermediary.process.ReloadCounts;
import dev.komainu.organizer.control.ClusterControlRoutes;
import dev.komainu.organizer.control.ControlEndpoint;
import dev.komainu.organizer.member.EventLog;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The routes of the control endpoint, and the endpoint itself where the organizer has its own. */
final class OrganizerControlComponent implements Component<OrganizerSettings> {

    private final @Nullable ControlSettings settings;
    private final IdentityComponent identity;
    private final MembershipComponent member;
    private final FrontComponent front;
    private final ServicesComponent services;
    private final EventLog events;
    private final ConfigurationReload reload;
    private final Supplier<ReloadCounts.Figures> reloads;
    private final Supplier<String> central;
    private @Nullable ClusterControlRoutes routes;
    private @Nullable ControlEndpoint endpoint;

    /**
     * Creates the component.
     *
     * @param settings null: there is no endpoint
     * @param reloads supplies the counts of reloads
     * @param central supplies the metrics of the way to the central service
     */
    OrganizerControlComponent(
            @Nullable ControlSettings settings,
            IdentityComponent identity,
            MembershipComponent member,
            FrontComponent front,
            ServicesComponent services,
            EventLog events,
            ConfigurationReload reload,
            Supplier<ReloadCounts.Figures> reloads,
            Supplier<String> central) {
        this.settings = settings;
        this.identity = identity;
        this.member = member;
        this.front = front;
        this.services = services;
        this.events = events;
        this.reload = reload;
        this.reloads = reloads;
        this.central = central;
    }

    ClusterControlRoutes routes() {
        return Objects.requireNonNull(routes);
    }

    /** Returns the address of the endpoint; null: there is none. */
    @Nullable
    InetSocketAddress address() {
        return endpoint == null ? null : endpoint.address();
    }

    /** Reports whether the endpoint uses TLS. */
    boolean isEncrypted() {
        return endpoint != null && endpoint.isEncrypted();
    }

    @Override
    public void open() throws IOException {
        ClusterControlRoutes created = new ClusterControlRoutes(
                member.get(),
                front.get(),
                services.get(),
                events,
                member::drain,
                member::setWeight,
                central);
        routes = created;
        if (settings != null) {
            endpoint = new ControlEndpoint(settings, created, reload, reloads, identity.get());
        }
    }

    @Override
    public PreparedChange prepare(SettingsChange<OrganizerSettings> change) throws IOException {
        ControlSettings next = change.next().control();
        return endpoint == null || next == null ? () -> {} : endpoint.prepare(next)::run;
    }

    @Override
    public void close() {
        if (endpoint != null) {
            endpoint.close();
        }
    }
}
