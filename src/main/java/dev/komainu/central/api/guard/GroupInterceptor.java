package dev.komainu.central.api.guard;

import dev.komainu.central.access.Caller;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * The check of callers that are bound to a group, by {@link RouteScopes.Reach}. A route that
 * changes more than one service is refused to them, and so is a route that is not on the list.
 */
@Configuration(proxyBeanMethods = false)
class GroupInterceptor implements HandlerInterceptor, WebMvcConfigurer {

    private final GroupGuard guard;

    GroupInterceptor(GroupGuard guard) {
        this.guard = guard;
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(this).addPathPatterns("/api/**");
    }

    @Override
    public boolean preHandle(
            HttpServletRequest request, HttpServletResponse response, Object handler) {
        Caller caller = caller();
        String group = caller == null ? null : caller.group();
        if (caller == null || group == null) {
            return true;
        }
        String pattern = String.valueOf(
                request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE));
        switch (RouteScopes.reach(request.getMethod(), pattern)) {
            case NOTHING, CHECKED_LATER -> {
                // It changes nothing, or its controller calls the guard.
            }
            case SERVICE_IN_PATH -> guard.require(caller, service(request));
            case MORE ->
                throw new ProblemException(Problem.of(
                        403,
                        "outside-group",
                        "Not allowed outside the caller's group",
                        request.getMethod() + " " + pattern + " changes more than the services of "
                                + group));
        }
        return true;
    }

    private static @Nullable Caller caller() {
        Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
        return authentication instanceof CallerAuthentication known ? known.getPrincipal() : null;
    }

    private static String service(HttpServletRequest request) {
        return request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE)
                        instanceof Map<?, ?> variables
                ? String.valueOf(variables.get("service"))
                : "";
    }
}
