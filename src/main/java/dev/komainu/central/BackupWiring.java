package dev.komainu.central;

import dev.komainu.central.access.Audit;
import dev.komainu.central.access.AuditOrigin;
import dev.komainu.central.access.Caller;
import dev.komainu.central.alert.AlertKeeper;
import dev.komainu.central.alert.AlertKind;
import dev.komainu.central.backup.BackupRequests;
import dev.komainu.central.backup.BackupSettings;
import dev.komainu.central.backup.Backups;
import dev.komainu.central.backup.ControlCopies;
import dev.komainu.central.backup.ControlFile;
import dev.komainu.central.backup.Installation;
import dev.komainu.central.backup.table.JdbcControlData;
import dev.komainu.central.secret.SecretKeys;
import dev.komainu.central.store.DayCopies;
import dev.komainu.central.store.RecordStore;
import dev.komainu.settings.EffectiveSetting;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import tools.jackson.databind.json.JsonMapper;

/** The backups of this service, and the notice of a mended file. */
@Configuration(proxyBeanMethods = false)
class BackupWiring {

    @Bean
    BackupSettings backupSettings(CentralSettings settings) {
        return settings.backup();
    }

    @Bean
    Backups backups(
            CentralSettings settings,
            ConfigurableEnvironment environment,
            DataSource source,
            RecordStore store,
            Clock clock) {
        List<EffectiveSetting> given = CentralSettings.given(environment);
        return new Backups(
                new Installation(
                        version(),
                        settings.data().resolve("backup"),
                        new JdbcControlData(source),
                        DayCopies.of(store),
                        files(settings),
                        yaml(given),
                        missing(given, settings)),
                settings.backup(),
                clock);
    }

    private static String version() {
        return Objects.requireNonNullElse(
                CentralApplication.class.getPackage().getImplementationVersion(), "development");
    }

    /** Returns the files that only this installation has, by their names in a backup. */
    private static Map<String, Path> files(CentralSettings settings) {
        Map<String, Path> files = new LinkedHashMap<>();
        for (String name : List.of(
                "order-key",
                CentralApplication.SECRET_KEY,
                TlsWiring.AUTHORITY + "/authority.key",
                TlsWiring.AUTHORITY + "/authority.pem",
                "first-password")) {
            files.put(name, settings.data().resolve(name));
        }
        files.put("audit-head.log", settings.audit().headFile());
        return files;
    }

    /** Returns the settings as a file for {@code --config}, except the directory of the data. */
    private static String yaml(List<EffectiveSetting> given) {
        JsonMapper json = JsonMapper.builder().build();
        StringBuilder yaml = new StringBuilder(
                "# Settings of the installation that was backed up: komainu central --config=FILE\n");
        for (EffectiveSetting setting : given) {
            if (!setting.key().equals(CentralSettings.DATA.key())) {
                // A text in quotes means the same in YAML and in JSON.
                yaml.append(setting.key())
                        .append(": ")
                        .append(json.writeValueAsString(setting.value()))
                        .append('\n');
            }
        }
        return yaml.toString();
    }

    /** Returns what the installation uses and no backup holds. */
    private static List<String> missing(List<EffectiveSetting> given, CentralSettings settings) {
        Path data = settings.data();
        List<String> missing = new ArrayList<>();
        if (settings.records().address() != null) {
            missing.add("the telemetry, which is in ClickHouse at "
                    + settings.records().address());
        }
        if (System.getenv(SecretKeys.VARIABLE) != null) {
            missing.add("the keys of secrets, which come from the variable " + SecretKeys.VARIABLE);
        }
        for (EffectiveSetting setting : given) {
            try {
                Path file = Path.of(setting.value()).toAbsolutePath();
                if (Files.isRegularFile(file) && !file.startsWith(data)) {
                    missing.add(file + ", which " + setting.key() + " names");
                }
            } catch (InvalidPathException e) {
                // The setting names no file.
            }
        }
        return missing;
    }

    @Bean
    BackupRequests backupRequests(CentralSettings settings, Backups backups, Audit audit) {
        Caller system = new Caller(
                "system", Caller.Kind.TOKEN, Set.of(), null, AuditOrigin.SELF, null, null);
        return new BackupRequests(
                settings.data().resolve("backup"),
                backups,
                (action, subject) -> audit.done(system, action, subject));
    }

    @Bean
    ControlCopies controlCopies(CentralSettings settings, DataSource source, Clock clock) {
        return new ControlCopies(settings.data(), settings.backup(), source, clock);
    }

    /** Tells all receivers, and the history of alerts, that the control data was mended. */
    @Bean
    ApplicationListener<ApplicationReadyEvent> mendingNotice(
            ObjectProvider<ControlFile.Mending> mending, AlertKeeper keeper) {
        return ready -> mending.ifAvailable(mended -> tell(mended, keeper));
    }

    private static void tell(ControlFile.Mending mended, AlertKeeper keeper) {
        String aside = mended.aside() == null ? "–" : mended.aside().toString();
        keeper.report(
                AlertKind.CONTROL_MENDED,
                "Control data mended",
                "central service",
                "The file of users, tokens, alerts, orders and audit was damaged (" + mended.fault()
                        + "). The copy of " + mended.from()
                        + " took its place; changes after it are lost. The damaged file: " + aside,
                "ユーザー、トークン、アラート、指示、監査のファイルが破損していました(" + mended.fault() + ")。" + mended.from()
                        + " のコピーに置き換えました。それ以降の変更は失われています。破損したファイル:" + aside);
    }
}
