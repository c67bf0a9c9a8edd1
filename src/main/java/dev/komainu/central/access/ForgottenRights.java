package dev.komainu.central.access;

import org.springframework.stereotype.Component;

/**
 * The end of what is remembered of sessions and tokens when a user loses rights, so that an outage
 * of the database does not bring them back.
 */
@Component
class ForgottenRights {

    ForgottenRights(Users users, Sessions sessions, ApiTokens tokens) {
        users.onDisconnect(() -> {
            sessions.forget();
            tokens.forget();
        });
    }
}
