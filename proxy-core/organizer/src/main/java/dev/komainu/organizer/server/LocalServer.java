package dev.komainu.organizer.server;

import dev.komainu.organizer.route.ServerState;
import dev.komainu.organizer.server.ServerObservations.Met;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.util.function.LongSupplier;

/**
 * A server beside this organizer. Safe for all threads.
 *
 * <p>Once a second somebody calls {@link #look}; whoever sends it requests calls {@link #began} and
 * {@link #ended}.
 */
public final class LocalServer {

    private static final int LOOK_MILLIS = 500;
    /**
     * RFC 6298 gives a new measurement an eighth; so here, when there are as many others of late.
     */
    private static final int SMOOTHING = 8;
    /**
     * After so long an answer counts half: who is hardly asked is not known by what it did long
     * ago.
     */
    private static final double HALF_LIFE_NANOS = 5e9;

    private final String host;
    private final int port;
    private final LongSupplier nanoClock;
    // Guarded by this.
    private ServerObservations health = ServerObservations.GOOD;
    private int inFlight;
    private long serviceMicros;
    /** Answers that the mean stands on, as of the last one. */
    private double remembered;

    private long answeredNanos;
    private long served;
    private long faults;

    /** How a request to it ended. */
    public enum Ending {
        /** It answered. */
        ANSWERED,
        /** It refused the connection. */
        REFUSED,
        /** It broke off, or said nothing in time. */
        BROKEN,
        /** The asker gave up. */
        GIVEN_UP
    }

    /** How it does. @param serviceMicros moving mean; 0: none seen yet */
    public record Figures(
            int inFlight, long serviceMicros, long served, long faults, ServerState state) {}

    public LocalServer(String host, int port) {
        this(host, port, System::nanoTime);
    }

    /** @param nanoClock monotonic */
    public LocalServer(String host, int port, LongSupplier nanoClock) {
        this.host = host;
        this.port = port;
        this.nanoClock = nanoClock;
    }

    public String address() {
        return host + ":" + port;
    }

    /** Opens a connection and closes it: half a second at most. */
    public void look() {
        Met met;
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), LOOK_MILLIS);
            met = Met.ANSWER;
        } catch (ConnectException | NoRouteToHostException e) {
            met = Met.REFUSAL;
        } catch (IOException | RuntimeException e) {
            // A name that does not resolve, too: it may the next time.
            met = Met.SILENCE;
        }
        met(met);
    }

    private synchronized void met(Met met) {
        health = health.after(met);
    }

    /**
     * What somebody who sees more (the monitor's state model) says; {@link ServerState#UP}: nothing
     * any more.
     */
    public synchronized void told(ServerState state) {
        health = health.hearing(state);
    }

    /** A request goes to it now. */
    public synchronized void began() {
        inFlight++;
    }

    /** A request that began is over. @param micros since it began; counts of answers only */
    public synchronized void ended(Ending ending, long micros) {
        inFlight = Math.max(0, inFlight - 1);
        switch (ending) {
            case ANSWERED -> {
                served++;
                long now = nanoClock.getAsLong();
                double left = remembered * Math.pow(0.5, (now - answeredNanos) / HALF_LIFE_NANOS);
                double others = Math.min(SMOOTHING - 1, left);
                serviceMicros =
                        Math.max(1, Math.round((serviceMicros * others + micros) / (others + 1)));
                remembered = others + 1;
                answeredNanos = now;
                health = health.after(Met.ANSWER);
            }
            case REFUSED -> {
                faults++;
                health = health.after(Met.REFUSAL);
            }
            case BROKEN -> faults++;
            case GIVEN_UP -> {}
        }
    }

    public synchronized Figures figures() {
        return new Figures(inFlight, serviceMicros, served, faults, health.state());
    }
}
