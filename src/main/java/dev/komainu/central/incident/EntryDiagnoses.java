package dev.komainu.central.incident;

import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.control.ControlRetry;
import dev.komainu.central.diagnosis.Diagnosis;
import dev.komainu.central.diagnosis.DiagnosisArchive;
import dev.komainu.central.diagnosis.DiagnosisWhatIf;
import dev.komainu.central.state.Transition;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keeper of diagnoses: one for each entry of a service into a bad state. After the peak it
 * shows what was known at the peak.
 *
 * <p>The figures of advice are means of the last minute, most of which lies before the entry. So
 * the diagnosis is made again {@value #AGAIN_SECONDS} s later, if the state still lasts, and
 * replaces the first.
 *
 * <p>{@link #assessed} runs on the assessment's thread and only queues; one thread of its own walks
 * and writes. An entry for which the queue has no room is counted, and its diagnosis is missing.
 */
public final class EntryDiagnoses implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EntryDiagnoses.class);

    static final int AGAIN_SECONDS = 45;

    private static final int QUEUE = 1_000;
    private static final long END_SECONDS = 5;

    private final CurrentDiagnosis current;
    private final DiagnosisArchive archive;
    private final IncidentSettings settings;
    private final MeterRegistry meters;
    private final ControlRetry retry = new ControlRetry();
    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(QUEUE),
            Thread.ofPlatform().name("entry-diagnoses").daemon().factory());
    /** The last entry of each service that is still in that state. The assessment's thread only. */
    private final Map<String, Entry> lasting = new HashMap<>();

    /** An entry into a bad state. */
    private record Entry(String service, Instant at) {}

    EntryDiagnoses(
            CurrentDiagnosis current,
            DiagnosisArchive archive,
            IncidentSettings settings,
            MeterRegistry meters) {
        this.current = current;
        this.archive = archive;
        this.settings = settings;
        this.meters = meters;
    }

    /** Accepts an assessment. */
    void assessed(Assessment assessment) {
        if (settings.perService() == 0) {
            return;
        }
        for (Transition transition : assessment.transitions()) {
            lasting.remove(transition.service());
            if (IncidentBoard.isBad(transition.to())) {
                Entry entry = new Entry(
                        transition.service(), Instant.ofEpochSecond(transition.atSecond()));
                lasting.put(transition.service(), entry);
                queue(entry, assessment);
            }
        }
        Instant due = assessment.at().minusSeconds(AGAIN_SECONDS);
        for (Iterator<Entry> entries = lasting.values().iterator(); entries.hasNext(); ) {
            Entry entry = entries.next();
            if (!entry.at().isAfter(due)) {
                entries.remove();
                queue(entry, assessment);
            }
        }
    }

    private void queue(Entry entry, Assessment assessment) {
        ServiceAssessment service = assessment.service(entry.service());
        if (service == null) {
            return;
        }
        try {
            thread.execute(() -> keep(entry, service));
        } catch (RejectedExecutionException e) {
            count("queue-full");
        }
    }

    private void keep(Entry entry, ServiceAssessment service) {
        try {
            Diagnosis diagnosis = current.of(service, DiagnosisWhatIf.NOTHING);
            if (!retry.run(
                    () -> archive.keepEntry(diagnosis, entry.at()), () -> !thread.isShutdown())) {
                count("failed");
                return;
            }
            count("kept");
            int deleted = archive.deleteOldEntries(
                    entry.service(), settings.perService(), settings.size());
            if (deleted > 0) {
                outcome("deleted").increment(deleted);
            }
        } catch (RuntimeException e) {
            count("failed");
            LOG.warn(
                    "The diagnosis of {} at {} was not kept: {}",
                    entry.service(),
                    entry.at(),
                    e.toString());
        }
    }

    private void count(String outcome) {
        outcome(outcome).increment();
    }

    private Counter outcome(String outcome) {
        return Counter.builder("komainu.entry.diagnoses")
                .tag("outcome", outcome)
                .description("Diagnoses of entries into a bad state, by what became of them")
                .register(meters);
    }

    /**
     * Completes what is queued. The thread is not interrupted, because that would close the
     * database's file.
     */
    @Override
    public void close() throws InterruptedException {
        thread.shutdown();
        if (!thread.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
            LOG.warn("{} diagnoses were not kept", thread.getQueue().size());
        }
    }
}
