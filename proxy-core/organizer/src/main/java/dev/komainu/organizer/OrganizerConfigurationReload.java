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
 * The reload of an organizer's whole configuration: with a mistake nothing changes. Any thread
 * except an event loop; one reload at a time.
 */
final class OrganizerConfigurationReload implements ConfigurationReload {

    private static final Logger LOG = LoggerFactory.getLogger(OrganizerConfigurationReload.class);

    private final Configuration<OrganizerSettings> configuration;
    private final SettingsReceiver receiver;
    private final ReloadCounts counts = new ReloadCounts();

    /** The receiver of changed settings. */
    interface SettingsReceiver {

        /**
         * Checks settings without applying them.
         *
         * @throws SettingMistakesException with all reasons why these settings cannot be applied
         */
        void check(OrganizerSettings next) throws SettingMistakesException;

        /**
         * Applies settings to everything that starts from now on.
         *
         * @throws IOException naming the unavailable resource; nothing has changed then
         */
        void apply(SettingsChange<OrganizerSettings> change) throws IOException;
    }

    OrganizerConfigurationReload(
            Configuration<OrganizerSettings> configuration, SettingsReceiver receiver) {
        this.configuration = configuration;
        this.receiver = receiver;
    }

    @Override
    public synchronized Report reload(boolean dryRun) {
        Report report;
        try {
            Configuration.Change<OrganizerSettings> change = configuration.reread();
            receiver.check(change.settings());
            if (!dryRun) {
                receiver.apply(new SettingsChange<>(configuration.settings(), change.settings()));
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
            report.log(LOG);
        }
        return report;
    }

    private Report refused(List<String> problems, boolean dryRun) {
        if (!dryRun) {
            counts.refused();
        }
        return new Report(problems, List.of(), Map.of(), 0, counts.figures().generation(), dryRun);
    }

    /** Returns the settings in force. */
    synchronized OrganizerSettings settings() {
        return configuration.settings();
    }

    ReloadCounts.Figures figures() {
        return counts.figures();
    }
}
