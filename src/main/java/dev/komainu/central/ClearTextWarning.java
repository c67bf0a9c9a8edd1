package dev.komainu.central;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** The warning at a start at which passwords and tokens travel over the network in clear text. */
@Component
class ClearTextWarning implements ApplicationListener<ApplicationReadyEvent> {

    private static final Logger LOG = LoggerFactory.getLogger(ClearTextWarning.class);

    private final CentralSettings settings;
    private final Environment environment;

    ClearTextWarning(CentralSettings settings, Environment environment) {
        this.settings = settings;
        this.environment = environment;
    }

    @Override
    public void onApplicationEvent(ApplicationReadyEvent ready) {
        String address = environment.getProperty("server.address", "0.0.0.0");
        try {
            if (!InetAddress.getByName(address).isLoopbackAddress()
                    && !TlsWiring.isCovered(environment, settings.tls())) {
                LOG.warn(
                        "Passwords and tokens travel in clear text: the service listens on {} with komainu.tls.mode=off",
                        address);
            }
        } catch (UnknownHostException e) {
            LOG.debug("No address to check: {}", address, e);
        }
    }
}
