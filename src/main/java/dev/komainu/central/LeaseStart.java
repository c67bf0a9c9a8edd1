package dev.komainu.central;

import dev.komainu.central.control.ControlDataSettings;
import dev.komainu.central.control.ControlSchema;
import dev.komainu.central.lease.LeaseKeeper;
import dev.komainu.central.standby.StandbyCentre;
import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * The wait for the lease before anything else of the service starts, where the control data are on
 * PostgreSQL. Whatever is read at the start is therefore read under this centre's own epoch.
 */
@Order(Ordered.LOWEST_PRECEDENCE)
class LeaseStart implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    private static final Logger LOG = LoggerFactory.getLogger(LeaseStart.class);
    private static final String HOLDER = "lease-holder";
    /** Name of the bean; absent with H2. */
    static final String BEAN = "leaseKeeper";

    /** Time for which a centre that does not share waits for the lease of one that was killed. */
    private static final Duration ALONE = Duration.ofSeconds(15);

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        CentralSettings settings = CentralSettings.read(context.getEnvironment());
        if (!settings.control().onPostgresql()) {
            return;
        }
        LeaseKeeper keeper = new LeaseKeeper(
                settings.control().leaseSource(),
                holder(settings.data()),
                settings.lease().address());
        try {
            if (!keeper.isTableThere()) {
                ControlSchema schema = new ControlSchema(settings.control());
                schema.migrate(schema.flyway(settings.control().source()));
            }
            if (settings.lease().shared()) {
                StandbyCentre.await(
                        context.getEnvironment(),
                        keeper,
                        Map.of(
                                "centralSettings", settings,
                                "guardSettings", settings.guard(),
                                "clock", Clock.systemUTC()),
                        TlsWiring.class);
            } else {
                takeAlone(settings.control(), keeper);
            }
        } catch (SQLException e) {
            throw settings.control().refused(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while another central service judges", e);
        }
        keeper.keep();
        DefaultListableBeanFactory beans = (DefaultListableBeanFactory) context.getBeanFactory();
        beans.registerSingleton(BEAN, keeper);
        // The first that is registered is destroyed last: the lease ends after all that needs it.
        beans.registerDisposableBean(BEAN, keeper::close);
    }

    private static void takeAlone(ControlDataSettings control, LeaseKeeper keeper)
            throws SQLException, InterruptedException {
        long end = System.nanoTime() + ALONE.toNanos();
        while (!keeper.tryTake()) {
            if (System.nanoTime() - end > 0) {
                throw control.refused("another central service uses it: "
                        + keeper.seen().holder()
                        + " (expected: a database of its own, or komainu.lease.address at both)");
            }
            Thread.sleep(Duration.ofMillis(500));
        }
    }

    /** Returns the name of this centre: made once, and kept in its data directory. */
    private static String holder(Path data) {
        Path file = data.resolve(HOLDER);
        try {
            if (!Files.exists(file)) {
                byte[] random = new byte[4];
                new SecureRandom().nextBytes(random);
                PrivateFiles.replace(
                        file,
                        (host() + "-" + HexFormat.of().formatHex(random) + "\n")
                                .getBytes(StandardCharsets.UTF_8));
            }
            return Files.readString(file).strip();
        } catch (IOException e) {
            LOG.warn("{}: {}; this start has a name of its own", file, e.toString());
            return host() + "-" + ProcessHandle.current().pid();
        }
    }

    private static String host() {
        try {
            String name = InetAddress.getLocalHost().getHostName();
            return name.substring(0, Math.min(80, name.length()));
        } catch (IOException e) {
            return "centre";
        }
    }
}
