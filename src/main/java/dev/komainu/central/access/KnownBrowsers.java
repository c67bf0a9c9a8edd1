package dev.komainu.central.access;

import dev.komainu.central.control.Upsert;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The marks of browsers that were logged in before: {@code ID.EXPIRES.SIGNATURE}, where the HMAC
 * covers the user's name, too. A mark opens no session. It only exempts its browser, for this name,
 * from the limits that strangers' failures reach ({@link LoginThrottle}). Any thread.
 */
@Component
public class KnownBrowsers {

    /** Age at which a mark is worth nothing. Every login issues a new one. */
    public static final Duration LIFE = Duration.ofDays(180);

    private static final String KEY = "browser";
    private static final int LONGEST = 200;

    private final SecretKeySpec key;
    private final Clock clock;

    public KnownBrowsers(JdbcClient jdbc, Clock clock) {
        this.key =
                new SecretKeySpec(secret(jdbc).getBytes(StandardCharsets.US_ASCII), "HmacSHA256");
        this.clock = clock;
    }

    /** Returns the stored key; creates it at the first start. */
    private static String secret(JdbcClient jdbc) {
        // An existing one is kept: every browser's mark is signed with it.
        Upsert.into("signing_key")
                .key("name", KEY)
                .initially("secret", Secrets.random())
                .run(jdbc);
        return jdbc.sql("select secret from signing_key where name = ?")
                .param(KEY)
                .query(String.class)
                .single();
    }

    /** Returns a new mark for a browser that has just logged in with this name. */
    String issue(String name) {
        String body = Secrets.random() + "." + clock.instant().plus(LIFE).getEpochSecond();
        return body + "." + signature(name, body);
    }

    /** Returns the id of the browser; empty unless the mark was issued for this name and holds. */
    Optional<String> find(String name, @Nullable String mark) {
        if (mark == null || mark.length() > LONGEST) {
            return Optional.empty();
        }
        String[] parts = mark.split("\\.", -1);
        if (parts.length != 3
                || !parts[1].matches("[0-9]{1,12}")
                || !Secrets.same(signature(name, parts[0] + "." + parts[1]), parts[2])) {
            return Optional.empty();
        }
        Instant expires = Instant.ofEpochSecond(Long.parseLong(parts[1]));
        return expires.isAfter(clock.instant())
                ? Optional.of("browser " + parts[0])
                : Optional.empty();
    }

    private String signature(String name, String body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            byte[] sum = mac.doFinal((name + "\n" + body).getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(sum);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // every Java platform has HmacSHA256
        }
    }
}
