package dev.komainu.organizer;

import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.organizer.member.EventLog;
import dev.komainu.organizer.peer.PeerConnections;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The organizer's clock: servers, lines and the rights of peers are checked each second, the learnt
 * pages are saved each minute.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the tasks handle their failures
final class ClockComponent implements Component<OrganizerSettings> {

    private static final Logger LOG = LoggerFactory.getLogger(ClockComponent.class);

    /** Seconds of learnt pages that a crash loses. */
    private static final int PAGES_SECONDS = 60;

    private final IdentityComponent identity;
    private final ServersComponent servers;
    private final MembershipComponent member;
    private final FrontComponent front;
    private final EventLog events;
    private final CarrierChangeLog lines;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().name("komainu-servers").daemon().unstarted(task));

    ClockComponent(
            IdentityComponent identity,
            ServersComponent servers,
            MembershipComponent member,
            FrontComponent front,
            EventLog events) {
        this.identity = identity;
        this.events = events;
        this.servers = servers;
        this.member = member;
        this.front = front;
        this.lines = new CarrierChangeLog(events);
    }

    @Override
    public void open() {
        clock.scheduleWithFixedDelay(this::everySecond, 1, 1, TimeUnit.SECONDS);
        clock.scheduleWithFixedDelay(
                front::savePages, PAGES_SECONDS, PAGES_SECONDS, TimeUnit.SECONDS);
    }

    private void everySecond() {
        try {
            closeRefused();
            servers.check();
            member.announceRoutes();
            lines.update(front.get().lineFigures());
        } catch (RuntimeException e) {
            // A scheduled task that throws is not run again.
            LOG.error("The check of servers and lines failed", e);
        }
    }

    /** Closes the connections of members that have lost their right to them. */
    private void closeRefused() {
        PeerConnections peers = identity.credentials().peers();
        if (peers != null) {
            for (PeerConnections.Closed closed : peers.closeRefused()) {
                events.add(
                        EventLog.Kind.REFUSED,
                        null,
                        closed.member() + " lost its connection: " + closed.why());
            }
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
