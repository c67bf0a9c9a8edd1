package dev.komainu.central.alert.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.alert.AlertStage;
import dev.komainu.central.alert.Versioned;
import dev.komainu.central.alert.VersionedTable;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Attacks on the receivers' secrets in the control database (review, finding 9). */
class ReceiverSecretsTest {

    private final AtomicReference<NoticeDispatcher> dispatcher = new AtomicReference<>();
    private AlertStage stage;

    @BeforeEach
    void setUp() {
        stage = new AlertStage(made -> {
            dispatcher.set(NoticeDispatchers.of(made, null));
            return dispatcher.get();
        });
    }

    private static Receiver mail(String password) {
        return new Receiver(
                "mail",
                Receiver.Type.MAIL,
                "en",
                true,
                new Receiver.Mail(
                        "mail.example",
                        587,
                        Receiver.Security.STARTTLS,
                        "komainu",
                        password,
                        "a@example.com",
                        List.of("b@example.com")),
                null);
    }

    private static final Receiver HOOK = new Receiver(
            "hook",
            Receiver.Type.WEBHOOK,
            "en",
            true,
            null,
            new Receiver.Hook("https://hooks.example/services/secret-path", "secret-of-signature"));

    /** Everything that the database holds of receivers. */
    private String stored() {
        return String.join(
                "\n",
                stage.jdbc
                        .sql("select body || ' ' || coalesce(request_hash, '') from alert_receiver")
                        .query(String.class)
                        .list());
    }

    private static List<Receiver> bodies(Receivers receivers) {
        return receivers.all().stream().map(Versioned::body).toList();
    }

    @Test
    void localUser_readsControlDatabase_findsNoSecretOfAReceiver() {
        Receivers receivers = new Receivers(stage.jdbc, TestSecrets.CIPHER);
        receivers.create(mail("secret-password"), "admin", "key");
        receivers.create(HOOK, "admin", null);
        assertThat(stored()).doesNotContain("secret-").contains("{sealed:1:");
        assertThat(bodies(receivers)).containsExactly(mail("secret-password"), HOOK);
        assertThat(bodies(new Receivers(stage.jdbc, TestSecrets.CIPHER)))
                .containsExactly(mail("secret-password"), HOOK);
        assertThat(receivers.create(mail("secret-password"), "admin", "key"))
                .isInstanceOf(VersionedTable.Created.Repeated.class);
        assertThat(receivers.create(mail("other"), "admin", "key"))
                .isInstanceOf(VersionedTable.Created.KeyReused.class);
    }

    @Test
    void localUser_readsDatabaseOfAnOlderVersion_findsItEncryptedAfterTheFirstStart() {
        stage.jdbc
                .sql(
                        "insert into alert_receiver (id, version, body, request_hash) values ('old', 7, ?, ?)")
                .params(
                        "{\"name\":\"hook\",\"type\":\"webhook\",\"language\":\"en\",\"enabled\":true,\"mail\":null,"
                                + "\"hook\":{\"url\":\"https://hooks.example/services/secret-path\",\"secret\":\"secret-of-signature\"}}",
                        "0".repeat(64))
                .update();
        Receivers receivers = new Receivers(stage.jdbc, TestSecrets.CIPHER);
        assertThat(stored()).doesNotContain("secret-").doesNotContain("0".repeat(64));
        assertThat(receivers.all()).containsExactly(new Versioned<>("old", 7, HOOK));
    }

    @Test
    void databaseWriter_copiesASecretIntoAnotherRow_itCannotBeUsedThere() {
        Receivers receivers = new Receivers(stage.jdbc, TestSecrets.CIPHER);
        receivers.create(mail("secret-password"), "admin", null);
        receivers.create(mail("mine"), "attacker", null);
        stage.jdbc
                .sql(
                        "update alert_receiver set body = (select body from alert_receiver order by position limit 1)")
                .update();
        assertThat(bodies(new Receivers(stage.jdbc, TestSecrets.CIPHER)))
                .extracting(Receiver::isUnreadable)
                .containsExactly(false, true);
    }

    @Test
    void key_isLost_receiverWaitsAndSaysWhatToDo_andTheRestoredKeyReadsItAgain() {
        new Receivers(stage.jdbc, TestSecrets.CIPHER).create(HOOK, "admin", null);
        Receivers without = new Receivers(stage.jdbc, TestSecrets.of((byte) 2));
        assertThat(bodies(without)).extracting(Receiver::isUnreadable).containsExactly(true);
        assertThat(String.valueOf(without.all().getFirst().body()))
                .isEqualTo("webhook hook (…, en)");
        stage.restart();
        DeliveryOutcome outcome = dispatcher.get().test(without.all().getFirst());
        assertThat(outcome.delivered()).isFalse();
        assertThat(outcome.worthRetry()).isTrue();
        assertThat(outcome.text()).isEqualTo("The secret cannot be read, enter it again");
        assertThat(bodies(new Receivers(stage.jdbc, TestSecrets.CIPHER))).containsExactly(HOOK);
    }

    @Test
    void key_isReplaced_allSecretsAreEncryptedWithTheNewOne() {
        new Receivers(stage.jdbc, TestSecrets.CIPHER).create(HOOK, "admin", null);
        new Receivers(stage.jdbc, TestSecrets.of((byte) 2, (byte) 1));
        assertThat(bodies(new Receivers(stage.jdbc, TestSecrets.of((byte) 2))))
                .containsExactly(HOOK);
    }
}
