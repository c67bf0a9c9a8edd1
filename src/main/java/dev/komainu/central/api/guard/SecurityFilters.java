package dev.komainu.central.api.guard;

import dev.komainu.central.access.AccessSettings;
import dev.komainu.central.access.ApiTokens;
import dev.komainu.central.access.Caller;
import dev.komainu.central.access.Scope;
import dev.komainu.central.access.Sessions;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemWriter;
import dev.komainu.central.enrolment.PartCertificates;
import dev.komainu.central.identity.ServerTlsSettings;
import dev.komainu.central.lease.LeaseKeeper;
import dev.komainu.central.limit.Refusals;
import java.time.Duration;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.http.HttpMethod;
import org.springframework.security.authorization.AuthorityAuthorizationManager;
import org.springframework.security.authorization.AuthorizationManagers;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.annotation.web.configurers.AuthorizeHttpRequestsConfigurer;
import org.springframework.security.config.annotation.web.configurers.HeadersConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.header.HeaderWriterFilter;
import org.springframework.security.web.header.writers.ReferrerPolicyHeaderWriter.ReferrerPolicy;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;

/** The configuration of the filter chain of all requests. */
@Configuration(proxyBeanMethods = false)
public class SecurityFilters {

    /** The policy without inline scripts, other origins and frames. */
    static final String CONTENT_SECURITY_POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
                    + " connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none';"
                    + " form-action 'self'; frame-ancestors 'none'";

    @Bean
    PasswordEncoder passwordEncoder() {
        return new BCryptPasswordEncoder(10);
    }

    /** Runs before every other filter, so that all of them see the client's address. */
    @Bean
    FilterRegistrationBean<ForwardedFilter> forwardedFilter(
            GuardSettings settings, ObjectProvider<LeaseKeeper> lease) {
        FilterRegistrationBean<ForwardedFilter> registration =
                new FilterRegistrationBean<>(new ForwardedFilter(settings, lease.getIfAvailable()));
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return registration;
    }

    @Bean
    FilterRegistrationBean<SecretAnswersFilter> secretAnswersFilter() {
        FilterRegistrationBean<SecretAnswersFilter> registration =
                new FilterRegistrationBean<>(new SecretAnswersFilter());
        registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 1);
        return registration;
    }

    @Bean
    SecurityFilterChain chain(
            HttpSecurity http,
            GuardSettings settings,
            AccessSettings access,
            ServerTlsSettings tls,
            ApiTokens tokens,
            Sessions sessions,
            SessionCookie cookie,
            PartCertificates certificates,
            ProblemWriter writer,
            Refusals refusals) {
        http.csrf(
                        AbstractHttpConfigurer
                                ::disable) // CallerFilter asks for the token, by cookie sessions
                // only
                .sessionManagement(s -> s.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .requestCache(AbstractHttpConfigurer::disable)
                .logout(AbstractHttpConfigurer::disable)
                .formLogin(AbstractHttpConfigurer::disable)
                .httpBasic(AbstractHttpConfigurer::disable)
                .anonymous(a -> {})
                .headers(h -> h.contentSecurityPolicy(
                                p -> p.policyDirectives(CONTENT_SECURITY_POLICY))
                        .referrerPolicy(r -> r.policy(ReferrerPolicy.NO_REFERRER))
                        .frameOptions(f -> f.deny())
                        .httpStrictTransportSecurity(each -> hsts(each, tls.hsts()))
                        .crossOriginOpenerPolicy(c -> c.policy(
                                org.springframework.security.web.header.writers
                                        .CrossOriginOpenerPolicyHeaderWriter.CrossOriginOpenerPolicy
                                        .SAME_ORIGIN))
                        .crossOriginResourcePolicy(c -> c.policy(
                                org.springframework.security.web.header.writers
                                        .CrossOriginResourcePolicyHeaderWriter
                                        .CrossOriginResourcePolicy.SAME_ORIGIN))
                        .permissionsPolicyHeader(p -> p.policy(
                                "camera=(), geolocation=(), microphone=(), payment=(), usb=()")))
                .exceptionHandling(x -> x.authenticationEntryPoint(
                                (request, response, e) -> writer.write(
                                        request,
                                        response,
                                        Problem.unauthenticated(
                                                "The request has neither a session nor a token")))
                        .accessDeniedHandler((request, response, e) -> writer.write(
                                request,
                                response,
                                refusal(access, request.getMethod(), request.getRequestURI()))))
                .addFilterAfter(new HostCheck(settings, writer), HeaderWriterFilter.class)
                .addFilterBefore(
                        new CallerFilter(tokens, sessions, access, cookie, certificates, writer),
                        AuthorizationFilter.class)
                .addFilterAfter(new CallerSeatsFilter(writer, refusals), AuthorizationFilter.class)
                .authorizeHttpRequests(SecurityFilters::routes);
        return http.build();
    }

    /**
     * A browser that saw this field refuses a certificate that it does not trust, so it is sent
     * only for the user's own.
     */
    private static void hsts(HeadersConfigurer<HttpSecurity>.HstsConfig hsts, Duration age) {
        if (age.isZero()) {
            hsts.disable();
        } else {
            hsts.maxAgeInSeconds(age.toSeconds()).includeSubDomains(false);
        }
    }

    private static void routes(
            AuthorizeHttpRequestsConfigurer<HttpSecurity>.AuthorizationManagerRequestMatcherRegistry
                    registry) {
        PathPatternRequestMatcher.Builder paths = PathPatternRequestMatcher.withDefaults();
        registry.dispatcherTypeMatchers(
                        jakarta.servlet.DispatcherType.ERROR,
                        jakarta.servlet.DispatcherType.FORWARD)
                .permitAll();
        for (RouteScopes.Route route : RouteScopes.ALL) {
            var rule = HttpMethod.GET.equals(route.method()) // HEAD needs the scopes of GET
                    ? registry.requestMatchers(
                            paths.matcher(HttpMethod.GET, route.pattern()),
                            paths.matcher(HttpMethod.HEAD, route.pattern()))
                    : registry.requestMatchers(paths.matcher(route.method(), route.pattern()));
            switch (route.access()) {
                case OPEN -> rule.permitAll();
                case SESSION -> rule.hasAuthority(CallerAuthentication.SESSION);
                case PART -> rule.hasAuthority(CallerAuthentication.PART);
                case SCOPES -> rule.hasAnyAuthority(authorities(route));
                case SESSION_SCOPES ->
                    rule.access(AuthorizationManagers.allOf(
                            AuthorityAuthorizationManager.hasAuthority(
                                    CallerAuthentication.SESSION),
                            AuthorityAuthorizationManager.hasAnyAuthority(authorities(route))));
            }
        }
        registry.requestMatchers(paths.matcher(HttpMethod.GET, "/actuator/health"))
                .permitAll()
                .requestMatchers(
                        paths.matcher("/api/**"),
                        paths.matcher("/actuator/**"),
                        paths.matcher("/metrics"))
                .authenticated() // unknown paths: 401 without authentication, else 404 or 405
                .requestMatchers(paths.matcher(HttpMethod.GET, "/**"))
                .permitAll() // the console's files; they hold no data
                .anyRequest()
                .authenticated();
    }

    private static String[] authorities(RouteScopes.Route route) {
        return route.scopes().stream().map(Scope::authority).toArray(String[]::new);
    }

    private static Problem refusal(AccessSettings access, String method, String path) {
        Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
        @Nullable
        Caller caller =
                authentication instanceof CallerAuthentication known ? known.getPrincipal() : null;
        if (caller != null
                && caller.session() != null
                && caller.session().user().mustChangePassword()) {
            return Problem.of(
                    403,
                    "password-change-required",
                    "Change the password first",
                    "The service generated this password; set another one with PUT /api/v1/session/password");
        }
        if (caller != null
                && caller.session() != null
                && access.mustSetUpSecondFactor(caller.session().user())) {
            return Problem.of(
                    403,
                    "second-factor-required",
                    "Set up a second factor first",
                    "This service requires one of every user; set it up with POST and PUT /api/v1/session/second-factor");
        }
        String scopes = caller == null
                ? "none"
                : caller.scopes().stream()
                        .map(Scope::text)
                        .sorted()
                        .collect(Collectors.joining(" "));
        return Problem.forbidden(method + " " + path
                + " requires a scope that the caller does not have (scopes: " + scopes + ")");
    }
}
