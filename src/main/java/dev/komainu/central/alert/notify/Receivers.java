package dev.komainu.central.alert.notify;

import dev.komainu.central.alert.Versioned;
import dev.komainu.central.alert.VersionedTable;
import dev.komainu.central.secret.SecretCipher;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The receivers of notices, editable by users. Any thread. */
@Component
public class Receivers {

    private static final Logger LOG = LoggerFactory.getLogger(Receivers.class);

    private final VersionedTable<Receiver> table;

    public Receivers(JdbcClient jdbc, SecretCipher cipher) {
        this.table = new VersionedTable<>(
                jdbc, "alert_receiver", Receiver.class, new ReceiverSecrets(cipher));
        reportUnreadable(cipher);
    }

    private void reportUnreadable(SecretCipher cipher) {
        List<String> names = table.all().stream()
                .map(Versioned::body)
                .filter(Receiver::isUnreadable)
                .map(Receiver::name)
                .toList();
        if (!names.isEmpty()) {
            LOG.error(
                    "The secrets of {} receivers cannot be read: {}. They were encrypted with a key that is not in {}. Restore the key, or enter the secrets again",
                    names.size(),
                    names,
                    cipher.place());
        }
    }

    public List<Versioned<Receiver>> all() {
        return table.all();
    }

    public Optional<Versioned<Receiver>> find(String id) {
        return table.find(id);
    }

    public VersionedTable.Created<Receiver> create(
            Receiver receiver, String by, @Nullable String key) {
        return table.create(receiver, receiver, by, key);
    }

    /**
     * Replaces a receiver. Returns empty when its version is no longer {@code version} or it does
     * not exist.
     */
    public Optional<Versioned<Receiver>> replace(String id, long version, Receiver receiver) {
        return table.replace(id, version, receiver);
    }

    public Optional<Versioned<Receiver>> delete(String id) {
        return table.delete(id);
    }
}
