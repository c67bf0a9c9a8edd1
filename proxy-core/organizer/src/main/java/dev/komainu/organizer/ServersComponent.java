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

/** This member's own servers, and the looks at them. */
final class ServersComponent implements Component<OrganizerSettings> {

    private static final Logger LOG = LoggerFactory.getLogger(ServersComponent.class);

    private final OwnServers servers;
    private final ExecutorService looks = Executors.newVirtualThreadPerTaskExecutor();

    ServersComponent(OrganizerSettings settings) {
        servers = new OwnServers(settings.serve());
    }

    OwnServers all() {
        return servers;
    }

    /**
     * Looks at all before others are told of them: a server that is not there yet is announced as
     * stopped.
     */
    @Override
    public void open() {
        look(servers.all());
    }

    /**
     * Makes ready to serve something else, with a look at those that come anew, as at the start.
     */
    ServingTable next(List<OrganizerSettings.Serve> serve) {
        ServingTable next = servers.next(serve);
        look(next.byAddress().values().stream()
                .filter(server -> !servers.all().contains(server))
                .toList());
        return next;
    }

    /** Called every second. */
    void look() {
        servers.forgetHearsay(System.nanoTime());
        look(servers.all());
    }

    private void look(Collection<LocalServer> which) {
        List<Future<?>> all = which.stream()
                .<Future<?>>map(server -> looks.submit(server::look))
                .toList();
        for (Future<?> one : all) {
            try {
                one.get(5, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (ExecutionException | TimeoutException e) {
                LOG.warn("A look at a server did not end: {}", e.toString());
            }
        }
    }

    @Override
    public void close() {
        looks.shutdownNow();
    }
}
