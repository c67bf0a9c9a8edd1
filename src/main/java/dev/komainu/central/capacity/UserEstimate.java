package dev.komainu.central.capacity;

import dev.komainu.central.store.ConnectionQuery;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.StoredPage;
import dev.komainu.central.store.StoredRecord;
import dev.komainu.central.store.TimeRange;
import dev.komainu.telemetry.record.ConnectionRecord;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The number of users that corresponds to a rate of requests.
 *
 * @param basis {@code clients}: rate a user = requests ÷ (seconds × distinct client addresses);
 *     {@code connections}: a user is an open connection, rate a user = X ÷ N_c at the heaviest
 *     observed load
 * @param ratePerUser requests a second
 * @param clients number of distinct addresses; 0 for connections
 * @param seconds period in which they were observed; 0 for connections
 */
public record UserEstimate(String basis, double ratePerUser, int clients, double seconds) {

    public static final String CLIENTS = "clients";
    public static final String CONNECTIONS = "connections";

    private static final int WINDOW_SECONDS = 300;
    private static final int PAGE = 1_000;
    private static final int PAGES = 10;

    /**
     * Shortest period; in a shorter one a user who returns would be counted with too few requests.
     */
    private static final double LEAST_SECONDS = 60;

    /** Fewest addresses; fewer are often proxies or load generators, not users. */
    private static final int LEAST_CLIENTS = 20;

    /** Returns the estimate; {@code null} when neither clients nor connections allow one. */
    static @Nullable UserEstimate of(
            RecordStore store, List<String> names, List<LoadStep> steps, long toSecond) {
        UserEstimate estimate = clients(store, names, toSecond);
        if (estimate != null) {
            return estimate;
        }
        for (LoadStep step : steps.reversed()) {
            if (step.concurrent() > 0) {
                return new UserEstimate(CONNECTIONS, step.rate() / step.concurrent(), 0, 0);
            }
        }
        return null;
    }

    private static @Nullable UserEstimate clients(
            RecordStore store, List<String> names, long toSecond) {
        TimeRange range =
                new TimeRange((toSecond - WINDOW_SECONDS) * 1_000_000L, toSecond * 1_000_000L);
        ConnectionQuery query = ConnectionQuery.of(names, range, PAGE);
        Set<InetAddress> clients = new HashSet<>();
        long requests = 0;
        long oldest = range.toMicros();
        String next = null;
        int pages = 0;
        do {
            StoredPage<ConnectionRecord> page = store.connections(query.after(next));
            for (StoredRecord<ConnectionRecord> stored : page.items()) {
                ConnectionRecord connection = stored.record();
                clients.add(connection.client().address());
                requests += connection.exchanges().size();
                oldest = Math.min(oldest, connection.times().endMicros());
            }
            next = page.next();
        } while (next != null && ++pages < PAGES);
        double seconds = next == null ? WINDOW_SECONDS : (range.toMicros() - oldest) / 1e6;
        return requests > 0 && clients.size() >= LEAST_CLIENTS && seconds >= LEAST_SECONDS
                ? new UserEstimate(
                        CLIENTS, requests / seconds / clients.size(), clients.size(), seconds)
                : null;
    }

    /** Returns the number of users at a rate, in requests a second. */
    public double at(double rate) {
        return rate / ratePerUser;
    }
}
