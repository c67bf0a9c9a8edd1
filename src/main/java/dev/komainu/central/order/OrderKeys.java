package dev.komainu.central.order;

import dev.komainu.telemetry.file.PrivateFiles;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.wire.SignedOrder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * The key pair that signs orders. It is generated at the first start and stored in a file of mode
 * 600, two lines of base64 (private, public). Agents pin the public key. When the file is lost,
 * every agent must get the new key. Any thread.
 */
@Component
public class OrderKeys {

    private final PrivateKey privateKey;
    private final PublicKey publicKey;
    private final String publicText;

    public OrderKeys(OrderSettings settings) {
        try {
            Path file = settings.keyFile();
            if (!Files.exists(file)) {
                write(file, fresh());
            }
            List<String> lines = Files.readAllLines(file);
            if (lines.size() < 2) {
                throw new IllegalStateException(
                        file + " (expected: two lines, as written by this service)");
            }
            privateKey = KeyFactory.getInstance("Ed25519")
                    .generatePrivate(new PKCS8EncodedKeySpec(
                            Base64.getDecoder().decode(lines.get(0).strip())));
            publicKey = SignedOrder.key(lines.get(1));
            publicText = SignedOrder.keyText(publicKey);
        } catch (IOException e) {
            throw new UncheckedIOException("order key: " + settings.keyFile(), e);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IllegalStateException(
                    settings.keyFile()
                            + ": not a key (expected: as written by this service; without the file it generates another key)",
                    e);
        }
    }

    /**
     * Returns a new key pair whose public text does not start with a dash, so that it can stand on
     * a command line.
     */
    private static KeyPair fresh() throws GeneralSecurityException {
        KeyPair pair;
        do {
            pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        } while (SignedOrder.keyText(pair.getPublic()).startsWith("-"));
        return pair;
    }

    private static void write(Path file, KeyPair pair) throws IOException {
        PrivateFiles.parentOf(file);
        String lines = Base64.getEncoder().encodeToString(pair.getPrivate().getEncoded()) + "\n"
                + SignedOrder.keyText(pair.getPublic()) + "\n";
        PrivateFiles.replace(file, lines.getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns the public key that agents are started with, 43 characters. */
    public String publicText() {
        return publicText;
    }

    /**
     * Returns the signature over a context, a line feed and a text, in base64url. The context names
     * the purpose; orders have another one.
     */
    public String sign(String context, String text) {
        try {
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(privateKey);
            signature.update((context + "\n" + text).getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Ed25519: " + e.getMessage(), e);
        }
    }

    String sign(Order order) {
        return SignedOrder.sign(order, privateKey);
    }

    /**
     * Returns an order of another epoch as one of this epoch, signed again. One without an epoch
     * stays as it is: its agent knows none. So does one that another key signed.
     */
    String renewed(String signed, OrderEpoch epoch) {
        Order order = SignedOrder.verified(signed, publicKey);
        return order == null || order.epoch() == 0 || order.epoch() == epoch.number()
                ? signed
                : sign(order.withEpoch(epoch.number()));
    }
}
