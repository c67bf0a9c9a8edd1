package dev.komainu.central.api.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.alert.notify.Receiver;
import dev.komainu.central.api.problem.ProblemException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Edits of a receiver whose stored secret cannot be decrypted: it must be entered again. */
class UnreadableReceiverTest {

    private static final String SEALED = "{sealed:1:0123abcd}AAAA";

    private static ReceiverRequest hook(String url, String secret) {
        return new ReceiverRequest("pager", "webhook", "en", true, null, url, secret);
    }

    @Test
    void hook_withLostKey_isNotKeptByAnEdit() {
        Receiver before = new Receiver(
                "pager",
                Receiver.Type.WEBHOOK,
                "en",
                true,
                null,
                new Receiver.Hook(SEALED, SEALED));
        for (ReceiverRequest incomplete : List.of(
                hook(null, null),
                hook("https://pager.example/", null),
                hook(null, "sixteen-characters"))) {
            assertThatThrownBy(() -> incomplete.checked(before))
                    .isInstanceOf(ProblemException.class);
        }
        assertThat(hook("https://pager.example/", "sixteen-characters")
                        .checked(before)
                        .isUnreadable())
                .isFalse();
    }

    @Test
    void mailPassword_withLostKey_isNotKeptByAnEdit() {
        Receiver before = new Receiver(
                "mail",
                Receiver.Type.MAIL,
                "en",
                true,
                new Receiver.Mail(
                        "mail.example",
                        587,
                        Receiver.Security.STARTTLS,
                        "komainu",
                        SEALED,
                        "a@example.com",
                        List.of("b@example.com")),
                null);
        assertThatThrownBy(() -> mail(null).checked(before)).isInstanceOf(ProblemException.class);
        assertThat(mail("again").checked(before).isUnreadable()).isFalse();
    }

    private static ReceiverRequest mail(String password) {
        return new ReceiverRequest(
                "mail",
                "mail",
                "en",
                true,
                new ReceiverRequest.MailRequest(
                        "mail.example",
                        587,
                        "starttls",
                        "komainu",
                        password,
                        "a@example.com",
                        List.of("b@example.com")),
                null,
                null);
    }
}
