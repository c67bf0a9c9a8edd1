package dev.komainu.central.api.guard;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * The exception from compression: answers that may carry a secret, which are those about sessions
 * and those to requests that create something. The length of a compressed answer tells what it
 * contains to who can add text to it (BREACH). Tomcat compresses no answer with a coding.
 */
final class SecretAnswersFilter extends OncePerRequestFilter {

    private static final String SESSION = "/api/v1/session";

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        boolean reads = request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
        if (!reads || request.getRequestURI().contains(SESSION)) {
            response.setHeader(HttpHeaders.CONTENT_ENCODING, "identity");
        }
        chain.doFilter(request, response);
    }
}
