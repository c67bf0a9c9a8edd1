package dev.komainu.central.api.guard;

import dev.komainu.central.access.Caller;
import java.util.ArrayList;
import java.util.List;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.SimpleGrantedAuthority;

/**
 * The authenticated caller in Spring Security; controllers get it by
 * {@code @AuthenticationPrincipal Caller}.
 */
final class CallerAuthentication extends AbstractAuthenticationToken {

    /** Authority of browser sessions, including those without a scope yet. */
    static final String SESSION = "SESSION";

    /** Authority of parts with a certificate. */
    static final String PART = "PART";

    private final transient Caller caller;

    CallerAuthentication(Caller caller) {
        super(authorities(caller));
        this.caller = caller;
        setAuthenticated(true);
    }

    private static List<GrantedAuthority> authorities(Caller caller) {
        List<GrantedAuthority> authorities = new ArrayList<>();
        caller.scopes()
                .forEach(scope -> authorities.add(new SimpleGrantedAuthority(scope.authority())));
        if (caller.session() != null) {
            authorities.add(new SimpleGrantedAuthority(SESSION));
        }
        if (caller.kind() == Caller.Kind.PART) {
            authorities.add(new SimpleGrantedAuthority(PART));
        }
        return authorities;
    }

    @Override
    public Object getCredentials() {
        return "";
    }

    @Override
    public Caller getPrincipal() {
        return caller;
    }

    @Override
    public String getName() {
        return caller.name();
    }
}
