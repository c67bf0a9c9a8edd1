package dev.komainu.organizer;

import dev.komainu.intermediary.control.ConfigurationReload;
import dev.komainu.intermediary.lifecycle.SettingsChange;
import dev.komainu.intermediary.process.ReloadCounts;
import dev.komainu.settings.Configuration;
import dev.komainu.settings.SettingMistakesException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads an organizer's configuration again, as a whole: with a mistake nothing changes. Any thread
 * but an event loop's: one reload at a time.
 */
final class OrganizerConfigurationReload implements ConfigurationReload {

    private static final Logger LOG = LoggerFactory.getLogger(OrganizerConfigurationReload.class);

    private final Configuration<OrganizerSettings> configuration;
    private final Taker taker;
    private final ReloadCounts counts = new ReloadCounts();

    /** Who is ruled by it. */
    interface Taker {

        /**
         * @throws SettingMistakesException telling all for which these cannot be taken; nothing has
         *     changed
         */
        void check(OrganizerSettings next) throws SettingMistakesException;

        /**
         * Rules what begins from now on.
         *
         * @throws IOException naming what cannot be had; nothing has changed
         */
        void take(SettingsChange<OrganizerSettings> change) throws IOException;
    }

    OrganizerConfigurationReload(Configuration<OrganizerSettings> configuration, Taker taker) {
        this.configuration = configuration;
        this.taker = taker;
    }

    @Override
    public synchronized Report reload(boolean dryRun) {
        Report report;
        try {
            Configuration.Change<OrganizerSettings> change = configuration.reread();
            taker.check(change.settings());
            if (!dryRun) {
                taker.take(new SettingsChange<>(configuration.settings(), change.settings()));
                configuration.activate(change);
                counts.done(TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
            }
            report = new Report(
                    List.of(),
                    change.applied(),
                    change.needsRestart(),
                    change.unchanged(),
                    counts.figures().generation(),
                    dryRun);
        } catch (SettingMistakesException e) {
            report = refused(e.mistakes(), dryRun);
        } catch (IOException e) {
            report = refused(List.of(String.valueOf(e.getMessage())), dryRun);
        }
        if (!dryRun) {
            report.tell(LOG);
        }
        return report;
    }

    private Report refused(List<String> problems, boolean dryRun) {
        if (!dryRun) {
            counts.refused();
        }
        return new Report(problems, List.of(), Map.of(), 0, counts.figures().generation(), dryRun);
    }

    /** What is in force. */
    synchronized OrganizerSettings settings() {
        return configuration.settings();
    }

    ReloadCounts.Figures figures() {
        return counts.figures();
    }
}
