package dev.komainu.central;

import dev.komainu.central.access.AccessSettings;
import dev.komainu.central.access.Audit;
import dev.komainu.central.alert.AlertSettings;
import dev.komainu.central.api.guard.GuardSettings;
import dev.komainu.central.api.stream.EventStreamSettings;
import dev.komainu.central.audit.AuditSettings;
import dev.komainu.central.caches.CachesSettings;
import dev.komainu.central.capacity.CapacitySettings;
import dev.komainu.central.clickhouse.ClickHouseSettings;
import dev.komainu.central.cluster.ClusterSettings;
import dev.komainu.central.control.ControlDataSettings;
import dev.komainu.central.control.ControlSchema;
import dev.komainu.central.enrolment.EnrolmentCodes;
import dev.komainu.central.enrolment.EnrolmentRequests;
import dev.komainu.central.enrolment.EnrolmentService;
import dev.komainu.central.enrolment.EnrolmentSettings;
import dev.komainu.central.fleet.FleetSettings;
import dev.komainu.central.identity.Authority;
import dev.komainu.central.identity.ServerTlsSettings;
import dev.komainu.central.incident.IncidentSettings;
import dev.komainu.central.ingest.IngestSettings;
import dev.komainu.central.ingest.SourceCredentials;
import dev.komainu.central.lease.LeaseKeeper;
import dev.komainu.central.oidc.OpenIdSettings;
import dev.komainu.central.recording.RecordingSettings;
import dev.komainu.central.room.RoomPlaces;
import dev.komainu.central.room.RoomSettings;
import dev.komainu.central.secret.SecretCipher;
import dev.komainu.central.secret.SecretKeys;
import dev.komainu.central.store.StoreSettings;
import dev.komainu.central.verify.VerifySettings;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import dev.komainu.telemetry.file.ProcessUmask;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;
import org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;

/** The main class of the central service. All packages are wired here and nowhere else. */
@SpringBootApplication(
        proxyBeanMethods = false,
        exclude = UserDetailsServiceAutoConfiguration.class /* users are our own */)
public class CentralApplication {

    /** The file beside the database with the keys of secrets at rest. */
    static final String SECRET_KEY = "secret-key";

    /** Exit code of a service whose lease another one has taken; it is started again, and waits. */
    private static final int LEASE_OVER = 4;

    private static final String USAGE = """
            Usage: komainu central [--SETTING=VALUE ...]

              --komainu.listen=ADDRESS:PORT   listening address of console, REST, stream and ingest (127.0.0.1:7600)
              --komainu.data=DIR              directory of all stored data (data/central)
              --komainu.control.url=URL       PostgreSQL database of users, tokens, alerts, orders and audit (a file in DIR)
              --komainu.lease.address=URL     this service may share the control data with others, which reach it there
              --komainu.records.url=URL       ClickHouse database of the telemetry (DuckDB files in DIR)
              --komainu.hosts=NAME,...        host names in addition to localhost and plain addresses
              --komainu.secure-cookie=true    the session cookie is sent over TLS only
              --config=FILE                   settings from a YAML or properties file; no other file is read
              --new-secret-key                adds a key for secrets at rest to DIR/secret-key; the next start uses it
              --new-authority                 replaces the authority of certificates; the former stays trusted until the next time
              --print-settings                print all effective settings with their sources
              --help                          this text

            Settings can also be given in the environment (KOMAINU_DATA). All settings: docs/configuration/central.md. The
            first password is in DIR/first-password.
            """;

    public static void main(String[] args) {
        if (Arrays.stream(args).anyMatch(one -> one.equals("--help") || one.equals("-h"))) {
            System.out.print(USAGE);
            return;
        }
        List<String> mistakes = new ArrayList<>();
        String[] arguments = StartArguments.of(args, mistakes);
        if (!mistakes.isEmpty()) {
            mistakes.forEach(System.err::println);
            System.exit(2);
        }
        // DuckDB creates its log by itself, and after each checkpoint again.
        ProcessUmask.set(ProcessUmask.OWNER_ONLY);
        StartFailure.silenceSpring();
        SpringApplication application = new SpringApplication(CentralApplication.class);
        if (Arrays.asList(args).contains("--print-settings")) {
            application.addListeners((ApplicationListener<ApplicationEnvironmentPreparedEvent>)
                    event -> printSettings(event.getEnvironment()));
        }
        if (Arrays.asList(args).contains("--new-secret-key")) {
            application.addListeners((ApplicationListener<ApplicationEnvironmentPreparedEvent>)
                    event -> addSecretKey(event.getEnvironment()));
        }
        if (Arrays.asList(args).contains("--new-authority")) {
            application.addListeners((ApplicationListener<ApplicationEnvironmentPreparedEvent>)
                    event -> replaceAuthority(event.getEnvironment()));
        }
        try {
            ConfigurableApplicationContext context = application.run(arguments);
            context.getBeanProvider(LeaseKeeper.class)
                    .ifAvailable(lease -> lease.atEnd(() -> leaveToTheNext(context)));
        } catch (RuntimeException e) {
            System.exit(1); // the reason was reported already
        }
    }

    /** Ends the process, not on a daemon thread, which would not outlive the web server. */
    private static void leaveToTheNext(ConfigurableApplicationContext context) {
        Thread.ofPlatform().name("lease-over").daemon(false).start(() -> {
            try {
                context.close();
            } finally {
                System.exit(LEASE_OVER);
            }
        });
    }

    /** Prints the settings in effect and exits the process. */
    private static void printSettings(ConfigurableEnvironment environment) {
        SettingReader reader = new SettingReader(List.of(new SpringSettingSource(environment)));
        try {
            CentralSettings.read(reader);
        } catch (SettingMistakesException e) {
            e.mistakes().forEach(System.err::println);
            System.exit(2);
        }
        reader.effective().forEach(setting -> System.out.println(setting.line()));
        System.exit(0);
    }

    /** Adds a key for secrets at rest and exits the process. */
    private static void addSecretKey(ConfigurableEnvironment environment) {
        Path file = CentralSettings.read(environment).data().resolve(SECRET_KEY);
        try {
            System.out.println(
                    file + ": " + SecretKeys.add(file)
                            + " keys. The next start encrypts all secrets with the first; then remove the others");
        } catch (IOException e) {
            System.err.println(file + ": cannot be written: " + e.getMessage());
            System.exit(1);
        }
        System.exit(0);
    }

    /** Replaces the authority and exits the process. A running service reads it within a minute. */
    private static void replaceAuthority(ConfigurableEnvironment environment) {
        Path directory = CentralSettings.read(environment).data().resolve(TlsWiring.AUTHORITY);
        try {
            Authority authority = Authority.open(directory, Clock.systemUTC());
            authority.replace();
            System.out.println(
                    directory
                            + ": replaced. Parts get the new certificate at their next renewal; replace it again"
                            + " only after all of them have it. Copies of authority.pem elsewhere: copy it again");
        } catch (IOException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
        System.exit(0);
    }

    @Bean
    EnrolmentSettings enrolmentSettings(CentralSettings settings) {
        return settings.enrolment();
    }

    @Bean
    EnrolmentRequests enrolmentRequests(
            CentralSettings settings,
            EnrolmentCodes codes,
            EnrolmentService enrolment,
            Audit audit,
            SourceCredentials credentials) {
        return new EnrolmentRequests(
                settings.data().resolve("enrol"),
                Integer.parseInt(settings.port()),
                codes,
                enrolment,
                audit,
                () -> credentials.sources(SourceCredentials.Credential.SHARED_TOKEN));
    }

    @Bean
    SecretCipher secretCipher(CentralSettings settings) {
        Path file = settings.data().resolve(SECRET_KEY);
        try {
            return new SecretCipher(SecretKeys.read(System.getenv(SecretKeys.VARIABLE), file));
        } catch (IOException e) {
            throw new UncheckedIOException("secret key: " + file, e);
        }
    }

    @Bean
    Clock clock() {
        return Clock.systemUTC();
    }

    @Bean
    CentralSettings centralSettings(ConfigurableEnvironment environment) {
        return CentralSettings.read(environment);
    }

    @Bean
    ControlDataSettings controlSettings(CentralSettings settings) {
        return settings.control();
    }

    @Bean
    FlywayMigrationStrategy controlSchema(
            ControlDataSettings settings, ObjectProvider<LeaseKeeper> lease) {
        ControlSchema schema = new ControlSchema(settings);
        return flyway -> {
            schema.migrate(flyway);
            lease.ifAvailable(LeaseKeeper::fence);
        };
    }

    @Bean
    AccessSettings accessSettings(CentralSettings settings) {
        return settings.access();
    }

    @Bean
    OpenIdSettings openIdSettings(CentralSettings settings) {
        return settings.openId();
    }

    @Bean
    AuditSettings auditSettings(CentralSettings settings) {
        return settings.audit();
    }

    @Bean
    ServerTlsSettings tlsSettings(CentralSettings settings) {
        return settings.tls();
    }

    @Bean
    GuardSettings guardSettings(CentralSettings settings) {
        return settings.guard();
    }

    @Bean
    EventStreamSettings streamSettings(CentralSettings settings) {
        return settings.stream();
    }

    @Bean
    StoreSettings storeSettings(CentralSettings settings) {
        return settings.store();
    }

    @Bean
    ClickHouseSettings recordsSettings(CentralSettings settings) {
        return settings.records();
    }

    @Bean
    RoomPlaces roomPlaces(CentralSettings settings) {
        boolean here = settings.records().address() == null;
        return new RoomPlaces(
                settings.data(), here ? settings.store().directory() : settings.data());
    }

    @Bean
    RoomSettings roomSettings(CentralSettings settings) {
        return settings.room();
    }

    @Bean
    FleetSettings fleetSettings(CentralSettings settings) {
        return settings.fleet();
    }

    @Bean
    IngestSettings ingestSettings(CentralSettings settings) {
        return settings.ingest();
    }

    @Bean
    RecordingSettings recordingSettings(CentralSettings settings) {
        return settings.recording();
    }

    @Bean
    CachesSettings cachesSettings(CentralSettings settings) {
        return settings.caches();
    }

    @Bean
    IncidentSettings incidentSettings(CentralSettings settings) {
        return settings.incidents();
    }

    @Bean
    VerifySettings verifySettings(CentralSettings settings) {
        return settings.verify();
    }

    @Bean
    AlertSettings alertSettings(CentralSettings settings) {
        return settings.alerts();
    }

    @Bean
    CapacitySettings capacitySettings(CentralSettings settings) {
        return settings.capacity();
    }

    @Bean
    ClusterSettings clusterSettings(CentralSettings settings) {
        return settings.clusters();
    }
}
