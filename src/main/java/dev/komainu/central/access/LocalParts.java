package dev.komainu.central.access;

import dev.komainu.settings.Cidr;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * The tokens of the parts on this machine: each is bound to its source, to the name of this host
 * and to the addresses that it has. The files exist before the port opens; the addresses are looked
 * at each minute. A token that exists, works and belongs to the same source is not replaced.
 */
@Component
public class LocalParts implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(LocalParts.class);

    /** The value of the setting that asks for a token without bounds. */
    static final String ANY = "any";

    private static final Duration LIFE = Duration.ofDays(366);
    private static final Duration SHARED_LIFE = Duration.ofDays(90);
    private static final int SECONDS = 60;
    private static final int MOST_NETWORKS = 64;

    private final ApiTokens tokens;
    private final Audit audit;
    private final AccessSettings settings;
    private volatile @Nullable ScheduledExecutorService thread;

    public LocalParts(ApiTokens tokens, Audit audit, AccessSettings settings) {
        this.tokens = tokens;
        this.audit = audit;
        this.settings = settings;
    }

    @Override
    public void start() {
        Path directory = settings.bootstrapTokens();
        if (directory == null) {
            return;
        }
        refresh(directory);
        ScheduledExecutorService fresh = Executors.newSingleThreadScheduledExecutor(
                Thread.ofVirtual().name("local-parts").factory());
        ScheduledFuture<?> unused = fresh.scheduleWithFixedDelay(
                () -> {
                    try {
                        refresh(directory);
                    } catch (RuntimeException e) {
                        LOG.warn("{}: {}", directory, e.toString());
                    }
                },
                SECONDS,
                SECONDS,
                TimeUnit.SECONDS);
        thread = fresh;
    }

    private void refresh(Path directory) {
        for (String source : settings.bootstrapParts()) {
            if (source.equals(ANY)) {
                shared(directory.resolve("ingest.token"));
            } else {
                bound(directory.resolve(kind(source) + ".token"), source);
            }
        }
    }

    private void bound(Path file, String source) {
        ReportingBounds bounds = new ReportingBounds(source, node(source), addresses());
        Optional<ApiToken> present = SecretFile.read(file)
                .flatMap(tokens::find)
                .filter(token -> token.reportingBounds() != null
                        && token.reportingBounds().source().equals(source));
        if (present.isPresent()) {
            ApiToken token = present.get();
            if (!bounds.equals(token.reportingBounds())) {
                tokens.bind(token.id(), bounds);
                LOG.info("{} may report for {} now", source, bounds.networksText());
            }
            return;
        }
        create(file, source, LIFE, bounds);
    }

    private void shared(Path file) {
        if (SecretFile.read(file).flatMap(tokens::find).isEmpty()) {
            create(file, "bootstrap ingest", SHARED_LIFE, null);
            LOG.warn("{}: a token that may report in every name; it is meant for tests", file);
        }
    }

    private void create(Path file, String name, Duration life, @Nullable ReportingBounds bounds) {
        ApiTokens.Created created = tokens.create(
                name.length() <= ApiToken.MOST_NAME_CHARS
                        ? name
                        : name.substring(0, ApiToken.MOST_NAME_CHARS),
                Set.of(Scope.INGEST),
                life,
                "system",
                null,
                bounds);
        SecretFile.write(file, created.secret());
        audit.write(
                AuditOrigin.SELF,
                "system",
                "token.create",
                created.token().id(),
                "done",
                null,
                name + ": " + Scope.INGEST.text());
        LOG.info("Token for {} written to {}", name, file);
    }

    /** Returns the kind in a source: {@code proxy} of {@code proxy@web-01:7680}. */
    private static String kind(String source) {
        return source.substring(0, source.indexOf('@'));
    }

    /** Returns the host in a source: {@code web-01} of {@code proxy@web-01:7680}. */
    private static String node(String source) {
        return source.substring(source.indexOf('@') + 1).replaceFirst(":[0-9]+$", "");
    }

    private static List<Cidr> addresses() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> !address.isLoopbackAddress())
                    .map(LocalParts::block)
                    .distinct()
                    .limit(MOST_NETWORKS)
                    .toList();
        } catch (SocketException e) {
            LOG.warn("The addresses of this host cannot be read: {}", e.toString());
            return List.of();
        }
    }

    private static Cidr block(InetAddress address) {
        return Cidr.parse(address.getHostAddress().replaceFirst("%.*", ""));
    }

    /** Runs before the web server, as {@link FirstStart}. */
    @Override
    public int getPhase() {
        return 0;
    }

    @Override
    public void stop() {
        ScheduledExecutorService ending = thread;
        if (ending != null) {
            ending.shutdown();
            thread = null;
        }
    }

    @Override
    public boolean isRunning() {
        return thread != null;
    }
}
