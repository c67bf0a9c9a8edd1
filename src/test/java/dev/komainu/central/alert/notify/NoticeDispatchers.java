package dev.komainu.central.alert.notify;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import dev.komainu.central.alert.AlertStage;
import dev.komainu.central.alert.VersionedTable;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/** Dispatchers with real senders, whose queues a test runs itself. */
final class NoticeDispatchers {

    /** Permits the servers of tests, which are on this host. */
    static final ReceiverGuard HERE = new ReceiverGuard(List.of("127.0.0.1"), () -> 0);

    private NoticeDispatchers() {}

    static NoticeDispatcher of(AlertStage stage, @Nullable SSLSocketFactory tls) {
        WebhookPost post = new WebhookPost(HERE, stage.settings.timeout());
        return new NoticeDispatcher(
                new Receivers(stage.jdbc, TestSecrets.CIPHER),
                new DeliveryTable(stage.jdbc),
                Map.of(
                        Receiver.Type.MAIL,
                                new MailSender(
                                        stage.settings.url(), stage.settings.timeout(), HERE, tls),
                        Receiver.Type.WEBHOOK, new WebhookSender(post, stage.settings.url()),
                        Receiver.Type.SLACK, new SlackSender(post, stage.settings.url())),
                stage.settings,
                stage.clock,
                stage.meters);
    }

    /** Returns a mail server on a free port, with a start timeout for a busy machine. */
    static GreenMail mailServer(String protocol) {
        ServerSetup setup = new ServerSetup(0, "127.0.0.1", protocol);
        setup.setServerStartupTimeout(120_000);
        return new GreenMail(setup);
    }

    /** Adds a receiver and returns its id. */
    static String add(AlertStage stage, Receiver receiver) {
        return switch (new Receivers(stage.jdbc, TestSecrets.CIPHER)
                .create(receiver, "test", null)) {
            case VersionedTable.Created.Fresh<Receiver> fresh -> fresh.item().id();
            case VersionedTable.Created.Repeated<Receiver> repeated ->
                throw new AssertionError(repeated);
            case VersionedTable.Created.KeyReused<Receiver> reused ->
                throw new AssertionError(reused);
        };
    }

    static Receiver mail(int port, String language) {
        return new Receiver(
                "operators",
                Receiver.Type.MAIL,
                language,
                true,
                new Receiver.Mail(
                        "127.0.0.1",
                        port,
                        Receiver.Security.NONE,
                        null,
                        null,
                        "komainu@example.com",
                        List.of("one@example.com", "two@example.com")),
                null);
    }

    static Receiver hook(Receiver.Type type, String url) {
        String secret = type == Receiver.Type.WEBHOOK ? "sixteen-characters" : null;
        return new Receiver("hook", type, "en", true, null, new Receiver.Hook(url, secret));
    }
}
