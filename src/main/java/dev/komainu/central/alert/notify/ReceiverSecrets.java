package dev.komainu.central.alert.notify;

import dev.komainu.central.alert.RowSecrets;
import dev.komainu.central.secret.SecretCipher;
import org.jspecify.annotations.Nullable;

/**
 * The secrets of receivers: the password of a mail account, the address of a webhook or Slack, the
 * key of a signature. The receiver's id and the field's name bind each to its place.
 */
final class ReceiverSecrets implements RowSecrets<Receiver> {

    private final SecretCipher cipher;

    ReceiverSecrets(SecretCipher cipher) {
        this.cipher = cipher;
    }

    /** An operation on one secret; the place is its second argument. */
    @FunctionalInterface
    private interface OnSecret {
        String apply(String text, String place);
    }

    @Override
    public Receiver sealed(String id, Receiver receiver) {
        return with(id, receiver, cipher::seal);
    }

    @Override
    public Receiver opened(String id, Receiver receiver) {
        return with(id, receiver, cipher::open);
    }

    @Override
    public String digest(String text) {
        return cipher.digest(text);
    }

    private static Receiver with(String id, Receiver receiver, OnSecret change) {
        Receiver.Mail mail = receiver.mail();
        Receiver.Hook hook = receiver.hook();
        return new Receiver(
                receiver.name(),
                receiver.type(),
                receiver.language(),
                receiver.enabled(),
                mail == null
                        ? null
                        : mail.withPassword(secret(change, mail.password(), id, "mail.password")),
                hook == null
                        ? null
                        : new Receiver.Hook(
                                change.apply(hook.url(), place(id, "hook.url")),
                                secret(change, hook.secret(), id, "hook.secret")));
    }

    private static @Nullable String secret(
            OnSecret change, @Nullable String text, String id, String field) {
        return text == null ? null : change.apply(text, place(id, field));
    }

    private static String place(String id, String field) {
        return "alert_receiver/" + id + "/" + field;
    }
}
