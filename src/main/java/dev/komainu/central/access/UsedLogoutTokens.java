package dev.komainu.central.access;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The ids of the provider's logout tokens that were carried out. They are in the database, so that
 * a restart of the service makes no token valid again. Only tokens with the provider's signature
 * come here. Any thread.
 */
@Component
public class UsedLogoutTokens {

    private final JdbcClient jdbc;
    private final Clock clock;

    public UsedLogoutTokens(JdbcClient jdbc, Clock clock) {
        this.jdbc = jdbc;
        this.clock = clock;
    }

    /**
     * Notes that a token is used.
     *
     * @param until instant from which on the token is refused for its age
     * @return false when it was used before
     */
    boolean use(String issuer, String id, Instant until) {
        jdbc.sql("delete from logout_token where until < ?")
                .param(clock.instant().atOffset(ZoneOffset.UTC))
                .update();
        try {
            jdbc.sql("insert into logout_token (id_hash, until) values (?, ?)")
                    .params(Secrets.hash(issuer + "\n" + id), until.atOffset(ZoneOffset.UTC))
                    .update();
            return true;
        } catch (DuplicateKeyException e) {
            return false;
        }
    }
}
