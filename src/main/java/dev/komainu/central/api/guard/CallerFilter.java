package dev.komainu.central.api.guard;

import dev.komainu.central.access.AccessSettings;
import dev.komainu.central.access.ApiToken;
import dev.komainu.central.access.ApiTokens;
import dev.komainu.central.access.AuditOrigin;
import dev.komainu.central.access.Caller;
import dev.komainu.central.access.Scope;
import dev.komainu.central.access.Session;
import dev.komainu.central.access.Sessions;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemWriter;
import dev.komainu.central.enrolment.PartCertificates;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.TransactionException;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * The filter that authenticates the caller: by the token if the request has one, else by the
 * cookie, else by the certificate of a part. A wrong token is refused even where no authentication
 * is required, so that its sender learns of the mistake. An expired cookie is ignored. A write with
 * a cookie must also have the session's CSRF token, which no other site can read.
 */
final class CallerFilter extends OncePerRequestFilter {

    private static final String CSRF_HEADER = "X-CSRF-Token";
    private static final String BEARER = "Bearer ";
    /** Attribute of the Servlet specification (Jakarta Servlet 6.1, section 3.10). */
    static final String CERTIFICATES = "jakarta.servlet.request.X509Certificate";

    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");

    private final ApiTokens tokens;
    private final Sessions sessions;
    private final AccessSettings settings;
    private final SessionCookie cookie;
    private final PartCertificates certificates;
    private final ProblemWriter writer;

    CallerFilter(
            ApiTokens tokens,
            Sessions sessions,
            AccessSettings settings,
            SessionCookie cookie,
            PartCertificates certificates,
            ProblemWriter writer) {
        this.certificates = certificates;
        this.tokens = tokens;
        this.sessions = sessions;
        this.settings = settings;
        this.cookie = cookie;
        this.writer = writer;
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        try {
            authenticate(request, response, chain);
        } catch (DataAccessException | TransactionException e) {
            if (!writer.writeAway(request, response, e)) {
                throw e;
            }
        }
    }

    private void authenticate(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String authorization = request.getHeader("Authorization");
        if (authorization != null) {
            Optional<Caller> caller = byToken(request, authorization);
            if (caller.isEmpty()) {
                response.setHeader(
                        "WWW-Authenticate", "Bearer realm=\"komainu\", error=\"invalid_token\"");
                writer.write(
                        request,
                        response,
                        Problem.of(
                                401,
                                "invalid-token",
                                "The token is not valid",
                                "Authorization: " + why(authorization)
                                        + " (expected: Bearer kmn_…)"));
                return;
            }
            proceed(caller.get(), request, response, chain);
            return;
        }
        Optional<Caller> caller = cookie.read(request)
                .flatMap(secret -> sessions.find(secret, request.getRemoteAddr()))
                .map(session -> bySession(request, session));
        if (caller.isEmpty()) {
            byCertificate(request, response, chain);
        } else if (!READING.contains(request.getMethod())
                && !csrfMatches(request, caller.get().session())) {
            writer.write(
                    request,
                    response,
                    Problem.of(
                            403,
                            "csrf",
                            "The CSRF token is missing or wrong",
                            CSRF_HEADER + ": "
                                    + (request.getHeader(CSRF_HEADER) == null ? "absent" : "wrong")
                                    + " (expected: csrfToken of GET /api/v1/session)"));
        } else {
            proceed(caller.get(), request, response, chain);
        }
    }

    private void byCertificate(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        PartCertificates.Outcome outcome =
                request.getAttribute(CERTIFICATES) instanceof X509Certificate[] shown
                                && shown.length > 0
                        ? certificates.check(shown[0], request.getRemoteAddr()).orElse(null)
                        : null;
        switch (outcome) {
            case null -> chain.doFilter(request, response);
            case PartCertificates.Outcome.Known known ->
                proceed(
                        new Caller(
                                known.part().caller(),
                                Caller.Kind.PART,
                                Set.of(Scope.INGEST),
                                null,
                                origin(request),
                                null,
                                known.part().bounds()),
                        request,
                        response,
                        chain);
            case PartCertificates.Outcome.Refused refused ->
                writer.write(
                        request,
                        response,
                        Problem.of(401, refused.type(), refused.title(), refused.detail()));
        }
    }

    private static void proceed(
            Caller caller,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain)
            throws ServletException, IOException {
        SecurityContext context = SecurityContextHolder.createEmptyContext();
        context.setAuthentication(new CallerAuthentication(caller));
        SecurityContextHolder.setContext(context);
        chain.doFilter(request, response);
    }

    private static Optional<String> secret(String authorization) {
        return authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? Optional.of(authorization.substring(BEARER.length()).strip())
                : Optional.empty();
    }

    private String why(String authorization) {
        return secret(authorization)
                .flatMap(tokens::resting)
                .map(token -> "refused since " + token.loginBy() + ", because its owner "
                        + token.createdBy()
                        + " has not logged in since; it works again after the next login")
                .orElse("unknown, revoked or expired");
    }

    private Optional<Caller> byToken(HttpServletRequest request, String authorization) {
        Optional<ApiToken> token = secret(authorization).flatMap(tokens::find);
        return token.map(found -> new Caller(
                "token:" + found.name(),
                Caller.Kind.TOKEN,
                Set.copyOf(found.scopes()),
                null,
                origin(request),
                found.group(),
                found.reportingBounds()));
    }

    private Caller bySession(HttpServletRequest request, Session session) {
        return new Caller(
                session.user().name(),
                Caller.Kind.SESSION,
                session.user().mustChangePassword()
                                || settings.mustSetUpSecondFactor(session.user())
                        ? Set.of()
                        : session.user().role().scopes(),
                session,
                origin(request),
                session.user().group(),
                null);
    }

    static AuditOrigin origin(HttpServletRequest request) {
        return new AuditOrigin(request.getRemoteAddr(), request.getHeader("User-Agent"));
    }

    private static boolean csrfMatches(HttpServletRequest request, @Nullable Session session) {
        String received = request.getHeader(CSRF_HEADER);
        return received != null
                && session != null
                && MessageDigest.isEqual(
                        received.getBytes(StandardCharsets.UTF_8),
                        session.csrfToken().getBytes(StandardCharsets.UTF_8));
    }
}
