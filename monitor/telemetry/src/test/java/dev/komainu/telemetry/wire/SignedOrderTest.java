package dev.komainu.telemetry.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.Order;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.HexFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The bytes of a signed order, which services and agents of different releases exchange. */
class SignedOrderTest {

    private static final Order ORDER =
            new Order("00", "n", "s", 1, 2, "s", "1", "2", Order.Then.RELOAD, null);

    private KeyPair keys;

    @BeforeEach
    void setUp() throws Exception {
        keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    }

    @Test
    void sign_withoutAnEpoch_isTheMessageOf010() {
        assertThat(message(ORDER))
                .isEqualTo("0a023030" + "12016e" + "1a0173" + "2001" + "2802" + "320173" + "3a0131"
                        + "420132" + "4802");
    }

    @Test
    void sign_withAnEpoch_isWithinWhatIsSigned() {
        assertThat(message(ORDER.withEpoch(9))).isEqualTo(message(ORDER) + "6009");
        String signed = SignedOrder.sign(ORDER.withEpoch(9), keys.getPrivate());

        assertThat(SignedOrder.verified(signed, keys.getPublic())).isEqualTo(ORDER.withEpoch(9));
        String other = text(message(ORDER) + "600a") + signed.substring(signed.indexOf('.'));
        assertThat(SignedOrder.verified(other, keys.getPublic())).isNull();
        String without = text(message(ORDER)) + signed.substring(signed.indexOf('.'));
        assertThat(SignedOrder.verified(without, keys.getPublic())).isNull();
    }

    private String message(Order order) {
        String signed = SignedOrder.sign(order, keys.getPrivate());
        return HexFormat.of()
                .formatHex(Base64.getUrlDecoder().decode(signed.substring(0, signed.indexOf('.'))));
    }

    private static String text(String message) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(HexFormat.of().parseHex(message));
    }
}
