package dev.komainu.central.access;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The recovery codes of users: each one replaces one code of the second factor, once. They are
 * stored as hashes; a plain SHA-256 is sufficient for 79 random bits. Any thread.
 */
final class RecoveryCodes {

    /** Codes of one user. */
    static final int NUMBER = 10;

    private final JdbcClient jdbc;

    RecoveryCodes(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Replaces the codes of a user and returns the new ones, in the caller's transaction. */
    List<String> replace(String user) {
        delete(user);
        Set<String> codes = new HashSet<>();
        while (codes.size() < NUMBER) {
            codes.add(Secrets.oneTimePassword());
        }
        for (String code : codes) {
            jdbc.sql("insert into recovery_code (user_name, hash) values (?, ?)")
                    .params(user, hash(user, code))
                    .update();
        }
        return List.copyOf(codes);
    }

    void delete(String user) {
        jdbc.sql("delete from recovery_code where user_name = ?").param(user).update();
    }

    /** Uses a code up. Returns false when the user has no such code; so for a second use. */
    boolean use(String user, String code) {
        return jdbc.sql("delete from recovery_code where user_name = ? and hash = ?")
                        .params(user, hash(user, code))
                        .update()
                > 0;
    }

    /** Returns the number of codes that a user has left. */
    int left(String user) {
        return jdbc.sql("select count(*) from recovery_code where user_name = ?")
                .param(user)
                .query(Integer.class)
                .single();
    }

    /** Returns the hash of a code as users write it: with or without dashes, blanks, capitals. */
    private static String hash(String user, String code) {
        return Secrets.hash(
                user + "\n" + code.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", ""));
    }
}
