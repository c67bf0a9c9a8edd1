package dev.komainu.central.store;

import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The storage of telemetry records and the queries on them. Every method may be called from any
 * thread.
 *
 * <p>Services and nodes have the names that their sources use. One service may have several names
 * (two probes); pass all of them where a list is expected. All queries throw {@link StoreException}
 * when the storage fails.
 */
public interface RecordStore extends AutoCloseable {

    /** The outcome of storing a batch. */
    enum Outcome {
        /** The whole batch is committed now. */
        STORED,
        /** The batch was stored earlier; nothing changed. */
        DUPLICATE
    }

    /**
     * Stores a batch and blocks until it is committed: afterwards it survives the end of the
     * process.
     *
     * @throws StoreException when the batch could not be stored; then no part of it is stored
     * @throws InterruptedException when the wait was interrupted; the batch may still be stored
     */
    Outcome append(Batch batch) throws InterruptedException;

    /** Returns the approximate time that a new batch would wait until it is committed. */
    Duration backlog();

    /**
     * Returns connections that ended in a range, newest first; a connection that several sources
     * reported appears once.
     */
    StoredPage<ConnectionRecord> connections(ConnectionQuery query);

    /** Returns a connection by the key of its list entry. */
    Optional<StoredRecord<ConnectionRecord>> connection(String key);

    /** Returns exchanges of Komainu's proxies in a range, newest first. */
    StoredPage<ProxyExchange> exchanges(ExchangeQuery query);

    /**
     * Returns windows of one service summed to steps, oldest first; steps without any window are
     * left out.
     *
     * <p>When several sources report the same step, the source that covers most of it is used: two
     * probes on one server never count twice.
     *
     * <p>Of days whose raw windows were deleted, roll-ups of a minute or an hour are left. In them,
     * counts, bytes, sums of time and the counts of every bucket of a distribution are those of the
     * raw windows; means are weighted by the covered time; maxima are kept. Percentiles have the
     * precision of the buckets, as in every step. Where several sources report, the one that covers
     * most of the minute or hour is used as a whole; where one source reports several names, the
     * highest concurrency is at most the sum of theirs. Such days are left out of steps that their
     * roll-ups do not divide; see {@link #fittingStep}.
     *
     * @param services the service's names
     * @param range range that contains the windows' start; for steps of ten seconds and more it is
     *     widened to full ten seconds, and to full minutes or hours where only these are kept
     * @param step whole seconds below ten, else a multiple of ten seconds
     */
    List<WindowStep<ServiceWindow>> serviceWindows(
            List<String> services, TimeRange range, Duration step);

    /**
     * Returns windows of one proxy summed to steps, oldest first, by the rules of
     * {@link #serviceWindows}.
     */
    List<WindowStep<ProxyWindow>> proxyWindows(
            List<String> services, TimeRange range, Duration step);

    /**
     * Returns the shortest step of at least the wished length that shows everything kept of a
     * range: whole seconds, a multiple of ten seconds, or of a minute or an hour where only these
     * are kept or the range is long.
     */
    Duration fittingStep(TimeRange range, Duration wished);

    /** Returns the ages at which telemetry is deleted. */
    KeptAges kept();

    /**
     * Returns the access log windows of one service that begin in the range, oldest first; each
     * window once.
     */
    List<AccessLogWindow> accessLogWindows(List<String> services, TimeRange range);

    /**
     * Passes the samples of one host on, oldest first. A day of a host with many servers has more
     * than fits into memory.
     *
     * @param consumer called in this thread; it must not call the store
     */
    void hostSamples(String node, TimeRange range, Consumer<? super HostSample> consumer);

    /** Returns samples of one host, oldest first, for ranges of minutes. */
    default List<HostSample> hostSamples(String node, TimeRange range) {
        List<HostSample> samples = new ArrayList<>();
        hostSamples(node, range, samples::add);
        return samples;
    }

    /** Returns the servers that sources found, oldest first; of all services. */
    List<ServiceSighting> sightings(TimeRange range);

    /** Returns the sources' own status reports, oldest first; of all nodes. */
    List<SourceStatus> statuses(TimeRange range);

    /** Returns the amount of stored data and the disk space it uses. */
    StorageUse storage();

    /** Stores the waiting batches, then closes the store. */
    @Override
    void close();
}
