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
import java.util.List;
import java.util.Optional;

/**
 * Keeps records and answers questions about them. Every method may be called from any thread.
 *
 * <p>A service or node is meant as its source knows it. One service may be known by several names
 * (two probes); give all of them where a list is asked for. All questions throw
 * {@link StoreException} when the storage fails.
 */
public interface RecordStore extends AutoCloseable {

    /** The outcome of storing a batch. */
    enum Outcome {
        /** Committed now, all of it. */
        STORED,
        /** Was there before; nothing changed. */
        DUPLICATE
    }

    /**
     * Stores a batch and waits until it is committed: afterwards it survives the death of the
     * process.
     *
     * @throws StoreException when it could not be stored; then nothing of it was
     * @throws InterruptedException when the wait was cut short; the batch may still be stored
     */
    Outcome append(Batch batch) throws InterruptedException;

    /** How long a batch that came now would wait before it is committed, about. */
    Duration backlog();

    /**
     * Connections that ended in a range, newest first; one that several sources told of is given
     * once.
     */
    StoredPage<ConnectionRecord> connections(ConnectionQuery query);

    /** One connection by the key it was listed with. */
    Optional<StoredRecord<ConnectionRecord>> connection(String key);

    /** Our proxies' exchanges in a range, newest first. */
    StoredPage<ProxyExchange> exchanges(ExchangeQuery query);

    /**
     * Windows of one service summed to steps, oldest first; steps without any window are left out.
     *
     * <p>Where several sources tell of the same step, the one that covers most of it is taken: two
     * probes on one server never count twice.
     *
     * @param services the service's names
     * @param range windows that begin in it; from ten-second steps on it is widened to full ten
     *     seconds
     * @param step whole seconds below ten, else a multiple of ten seconds
     */
    List<WindowStep<ServiceWindow>> serviceWindows(
            List<String> services, TimeRange range, Duration step);

    /** The same for one proxy. */
    List<WindowStep<ProxyWindow>> proxyWindows(
            List<String> services, TimeRange range, Duration step);

    /**
     * What the access logs of one service said in windows that begin in the range, oldest first;
     * each window once.
     */
    List<AccessLogWindow> accessLogWindows(List<String> services, TimeRange range);

    /** Samples of one host, oldest first. */
    List<HostSample> hostSamples(String node, TimeRange range);

    /** What sources found, oldest first; of all services. */
    List<ServiceSighting> sightings(TimeRange range);

    /** What sources said about themselves, oldest first; of all nodes. */
    List<SourceStatus> statuses(TimeRange range);

    /** What is kept, and how much room it takes. */
    StorageUse storage();

    /** Waiting batches are still stored. */
    @Override
    void close();
}
