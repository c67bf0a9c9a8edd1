package dev.komainu.agent.discovery.varnish;

import static dev.komainu.telemetry.kit.FreePort.freePort;

import dev.komainu.agent.discovery.configuration.RealServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A real Varnish on a free loopback port, with given parameters; for tests. */
public final class VarnishServer implements AutoCloseable {

    private final RealServer server;
    private final Path directory;

    private VarnishServer(RealServer server, Path directory) {
        this.server = server;
        this.directory = directory;
    }

    /**
     * Starts a Varnish.
     *
     * @param directory an empty one, kept until the server is closed
     * @param vcl its program
     * @param parameters {@code NAME=VALUE}
     */
    public static VarnishServer start(Path directory, Path vcl, String... parameters)
            throws IOException {
        int port = freePort();
        List<String> command = new ArrayList<>(List.of("/usr/sbin/varnishd", "-F", "-j", "none"));
        command.addAll(List.of("-n", directory.resolve("work").toString()));
        command.addAll(List.of("-a", "http=127.0.0.1:" + port, "-f", vcl.toString()));
        for (String parameter : parameters) {
            command.addAll(List.of("-p", parameter));
        }
        command.addAll(List.of("-s", "malloc,16m"));
        return new VarnishServer(RealServer.start(command, directory, port, Map.of()), directory);
    }

    /** Starts a Varnish with one backend, on a port without a listener. */
    public static VarnishServer start(Path directory, String... parameters) throws IOException {
        Path vcl = Files.writeString(
                directory.resolve("plain.vcl"),
                "vcl 4.1; backend one { .host = \"127.0.0.2\"; .port = \"8081\"; }\n");
        return start(directory, vcl, parameters);
    }

    public RealServer server() {
        return server;
    }

    public int port() {
        return server.port();
    }

    /** Returns the output of {@code varnishadm}. */
    public String administrate(String... words) {
        List<String> command = new ArrayList<>(
                List.of("/usr/bin/varnishadm", "-n", directory.resolve("work").toString()));
        command.addAll(List.of(words));
        return RealServer.run(command);
    }

    @Override
    public void close() {
        server.close();
    }
}
