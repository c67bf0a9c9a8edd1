package dev.komainu.organizer;

import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.intermediary.lifecycle.SettingsChange;
import dev.komainu.organizer.member.EventLog;
import dev.komainu.organizer.member.Grants;
import dev.komainu.organizer.member.Membership;
import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.UrlPrefix;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The membership in the cluster, and this member's announcement. */
final class MembershipComponent implements Component<OrganizerSettings> {

    private final OrganizerSettings settings;
    private final IdentityComponent identity;
    private final Grants grants;
    private final ServersComponent servers;
    private final EventLog events;
    private @Nullable Membership membership;
    /** Used by one thread at a time. */
    private boolean left;
    /** Guarded by this. */
    private boolean draining;

    MembershipComponent(
            OrganizerSettings settings,
            IdentityComponent identity,
            Grants grants,
            ServersComponent servers,
            EventLog events) {
        this.settings = settings;
        this.identity = identity;
        this.grants = grants;
        this.servers = servers;
        this.events = events;
    }

    Membership get() {
        return Objects.requireNonNull(membership);
    }

    @Override
    public void open() throws IOException {
        membership = Membership.join(
                settings.membership(),
                identity.credentials(),
                grants,
                settings.line(),
                servers.all().announced(),
                servers.all()::load,
                events,
                System::currentTimeMillis,
                System::nanoTime);
    }

    /** Announces the current routes, if they have changed. */
    synchronized void announceRoutes() {
        List<ServedRoute> routes = servers.all().announced();
        Announcement own = get().own();
        Announcement next = new Announcement(
                own.member(), own.incarnation(), own.version(), own.line(), draining, routes);
        if (!next.equals(own)) {
            get().serve(routes, draining);
        }
    }

    /**
     * Starts or ends draining: while draining, this member wants no requests that others can serve.
     */
    synchronized void drain(boolean on) {
        draining = on;
        announceRoutes();
    }

    /** Sets the weight of a prefix. Returns false when this member does not serve it. */
    synchronized boolean setWeight(UrlPrefix prefix, int weight) {
        if (!servers.all().setWeight(prefix, weight)) {
            return false;
        }
        announceRoutes();
        return true;
    }

    @Override
    public void apply(SettingsChange<OrganizerSettings> change) {
        ServingTable next = servers.next(change.next().serve());
        synchronized (this) {
            servers.all().apply(next);
            announceRoutes();
        }
    }

    /**
     * Leaves the cluster, so that the other members do not take the end for a crash. Idempotent.
     */
    void leave() {
        if (!left) {
            left = true;
            get().close();
        }
    }

    @Override
    public void close() {
        leave();
    }
}
