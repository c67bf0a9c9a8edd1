package dev.komainu.organizer.server;

import dev.komainu.organizer.route.ServerState;
import dev.komainu.organizer.server.ServerObservations.Observation;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.util.function.LongSupplier;

/**
 * An origin server of this member. Thread-safe.
 *
 * <p>A periodic task calls {@link #check} once a second; each sender of requests calls
 * {@link #started} and {@link #ended}.
 */
public final class LocalServer {

    private static final int CHECK_MILLIS = 500;
    /** As in RFC 6298 a new measurement counts an eighth, when there are that many recent ones. */
    private static final int SMOOTHING = 8;
    /**
     * Half-life of a response in the mean: old responses say little about a server with few
     * requests.
     */
    private static final double HALF_LIFE_NANOS = 5e9;

    private final String host;
    private final int port;
    private final LongSupplier nanoClock;
    // Guarded by this.
    private ServerObservations health = ServerObservations.GOOD;
    private int inFlight;
    private long serviceMicros;
    /** Responses on which the mean is based, as of the last response. */
    private double remembered;

    private long answeredNanos;
    private long served;
    private long faults;

    /** The end of a request to the server. */
    public enum Ending {
        /** The server responded. */
        ANSWERED,
        /** The server refused the connection. */
        REFUSED,
        /** The server broke off, or did not respond in time. */
        BROKEN,
        /** The client cancelled the request. */
        GIVEN_UP
    }

    /**
     * The figures of the server.
     *
     * @param serviceMicros moving mean; 0: no response yet
     */
    public record Figures(
            int inFlight, long serviceMicros, long served, long faults, ServerState state) {}

    public LocalServer(String host, int port) {
        this(host, port, System::nanoTime);
    }

    /**
     * Creates a server without observations.
     *
     * @param nanoClock monotonic
     */
    public LocalServer(String host, int port, LongSupplier nanoClock) {
        this.host = host;
        this.port = port;
        this.nanoClock = nanoClock;
    }

    /** Returns HOST:PORT. */
    public String address() {
        return host + ":" + port;
    }

    /** Checks the server: opens a connection and closes it. Blocks for at most half a second. */
    public void check() {
        Observation observation;
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), CHECK_MILLIS);
            observation = Observation.ANSWER;
        } catch (ConnectException | NoRouteToHostException e) {
            observation = Observation.REFUSAL;
        } catch (IOException | RuntimeException e) {
            // Includes a name that does not resolve now: it may resolve later.
            observation = Observation.SILENCE;
        }
        observed(observation);
    }

    private synchronized void observed(Observation observation) {
        health = health.after(observation);
    }

    /**
     * Applies the state that the monitor's state model reports; {@link ServerState#UP}: no finding.
     */
    public synchronized void onMonitorState(ServerState state) {
        health = health.withMonitorState(state);
    }

    /** Records that a request is sent to the server. */
    public synchronized void started() {
        inFlight++;
    }

    /**
     * Records the end of a request.
     *
     * @param micros time since its start; used for responses only
     */
    public synchronized void ended(Ending ending, long micros) {
        inFlight = Math.max(0, inFlight - 1);
        switch (ending) {
            case ANSWERED -> {
                served++;
                long now = nanoClock.getAsLong();
                double remaining =
                        remembered * Math.pow(0.5, (now - answeredNanos) / HALF_LIFE_NANOS);
                double others = Math.min(SMOOTHING - 1, remaining);
                serviceMicros =
                        Math.max(1, Math.round((serviceMicros * others + micros) / (others + 1)));
                remembered = others + 1;
                answeredNanos = now;
                health = health.after(Observation.ANSWER);
            }
            case REFUSED -> {
                faults++;
                health = health.after(Observation.REFUSAL);
            }
            case BROKEN -> faults++;
            case GIVEN_UP -> {}
        }
    }

    /** Returns the current figures. */
    public synchronized Figures figures() {
        return new Figures(inFlight, serviceMicros, served, faults, health.state());
    }
}
