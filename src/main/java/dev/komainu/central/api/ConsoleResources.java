package dev.komainu.central.api;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.regex.Pattern;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.CacheControl;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.resource.EncodedResourceResolver;
import org.springframework.web.servlet.resource.ResourceHttpRequestHandler;

/**
 * The delivery of the console's files from its jar. Files under {@code assets} have a hash in their
 * name and never change; the page itself is revalidated on each request. Paths of the console's own
 * router ({@code /services/web-01:80}) redirect to the page. The build compresses the assets
 * ({@code .br}, {@code .gz}).
 */
@Configuration(proxyBeanMethods = false)
public class ConsoleResources implements WebMvcConfigurer {

    private static final String FILES = "classpath:/META-INF/resources/";

    @Override
    public void addResourceHandlers(ResourceHandlerRegistry registry) {
        registry.addResourceHandler("/assets/**")
                .addResourceLocations(FILES + "assets/")
                .setCacheControl(
                        CacheControl.maxAge(Duration.ofDays(365)).cachePublic().immutable())
                .resourceChain(true)
                .addResolver(new EncodedResourceResolver());
        registry.addResourceHandler("/**")
                .addResourceLocations(FILES)
                .setCacheControl(CacheControl.noCache());
    }

    @Override
    public void addViewControllers(ViewControllerRegistry registry) {
        registry.addViewController("/").setViewName("forward:/index.html");
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(new TypedAddresses()).excludePathPatterns("/");
    }

    /**
     * The redirect from a typed address to the page and its router, whose paths follow a #. The
     * page's own files have relative names, so that the page works below any prefix of a reverse
     * proxy. At another depth it would not find them.
     */
    static final class TypedAddresses implements HandlerInterceptor {

        /**
         * Pattern of a file name. A dot alone is not sufficient: service ids such as
         * {@code 192.0.2.1:80} contain dots, too.
         */
        private static final Pattern FILE_NAME = Pattern.compile("\\.[A-Za-z][A-Za-z0-9]*$");

        private static final Pattern MACHINES =
                Pattern.compile("^/(api|actuator|metrics|error|assets)(/|$)");

        @Override
        public boolean preHandle(
                HttpServletRequest request, HttpServletResponse response, Object handler) {
            String path = request.getRequestURI();
            if (!(handler instanceof ResourceHttpRequestHandler)
                    || FILE_NAME.matcher(path).find()
                    || MACHINES.matcher(path).find()) {
                return true;
            }
            long depth = path.chars().filter(c -> c == '/').count() - 1;
            response.setStatus(HttpServletResponse.SC_FOUND);
            response.setHeader(
                    "Location", (depth == 0 ? "./" : "../".repeat((int) depth)) + "#" + path);
            return false;
        }
    }
}
