package dev.komainu.central.api;

import java.io.IOException;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.Resource;
import org.springframework.http.CacheControl;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.resource.PathResourceResolver;

/**
 * Serves the console's files from its jar. Files under {@code assets} carry a hash in their name and never change; the
 * page itself is asked for anew each time. Paths of the console's own router ({@code /services/web-01:80}) get the page.
 */
@Configuration(proxyBeanMethods = false)
class ConsoleResources implements WebMvcConfigurer {

    private static final String FILES = "classpath:/META-INF/resources/";

    @Override
    public void addResourceHandlers(ResourceHandlerRegistry registry) {
        registry.addResourceHandler("/assets/**")
                .addResourceLocations(FILES + "assets/")
                .setCacheControl(
                        CacheControl.maxAge(Duration.ofDays(365)).cachePublic().immutable());
        registry.addResourceHandler("/**")
                .addResourceLocations(FILES)
                .setCacheControl(CacheControl.noCache())
                .resourceChain(false)
                .addResolver(new PageForRoutes());
    }

    @Override
    public void addViewControllers(ViewControllerRegistry registry) {
        registry.addViewController("/").setViewName("forward:/index.html");
    }

    /** Finds the file, else the page, unless the path looks like a file's or belongs to an interface of machines. */
    static final class PageForRoutes extends PathResourceResolver {

        /** Not simply a dot: service ids such as {@code 192.0.2.1:80} have dots too. */
        private static final Pattern FILE_NAME = Pattern.compile("\\.[A-Za-z][A-Za-z0-9]*$");

        private static final Pattern MACHINES = Pattern.compile("^(api|actuator|metrics|error|assets)(/|$)");

        @Override
        protected @Nullable Resource getResource(String path, Resource location) throws IOException {
            Resource file = super.getResource(path, location);
            if (file != null
                    || FILE_NAME.matcher(path).find()
                    || MACHINES.matcher(path).find()) {
                return file;
            }
            return super.getResource("index.html", location);
        }
    }
}
