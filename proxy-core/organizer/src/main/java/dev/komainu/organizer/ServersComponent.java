package dev.komainu.organizer;

import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.organizer.server.LocalServer;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The servers of this member, and their periodic checks. */
final class ServersComponent implements Component<OrganizerSettings> {

    private static final Logger LOG = LoggerFactory.getLogger(ServersComponent.class);

    private final OwnServers servers;
    private final ExecutorService checks = Executors.newVirtualThreadPerTaskExecutor();

    ServersComponent(OrganizerSettings settings) {
        servers = new OwnServers(settings.serve());
    }

    OwnServers all() {
        return servers;
    }

    /**
     * Checks all servers before they are announced: a server that is not running yet is announced
     * as stopped.
     */
    @Override
    public void open() {
        check(servers.all());
    }

    /** Returns the table of other settings, after a check of its new servers, as at the start. */
    ServingTable next(List<OrganizerSettings.Serve> serve) {
        ServingTable next = servers.next(serve);
        check(next.byAddress().values().stream()
                .filter(server -> !servers.all().contains(server))
                .toList());
        return next;
    }

    /** Checks all servers. Called every second. */
    void check() {
        servers.expireMonitorStates(System.nanoTime());
        check(servers.all());
    }

    private void check(Collection<LocalServer> checked) {
        List<Future<?>> all = checked.stream()
                .<Future<?>>map(server -> checks.submit(server::check))
                .toList();
        for (Future<?> one : all) {
            try {
                one.get(5, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (ExecutionException | TimeoutException e) {
                LOG.warn("The check of a server did not end: {}", e.toString());
            }
        }
    }

    @Override
    public void close() {
        checks.shutdownNow();
    }
}
