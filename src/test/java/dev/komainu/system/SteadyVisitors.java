package dev.komainu.system;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Visitors who come at an even pace, whether those before them were served or not (an open loop: a
 * closed one hides a shortage). Each brings a connection of its own and two minutes of patience.
 */
final class SteadyVisitors implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 120_000;

    private final InetSocketAddress server;
    private final byte[] request;
    private final Thread clock;
    private volatile double perSecond;

    SteadyVisitors(int port, String path, double perSecond) {
        this.server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        this.request = ("GET " + path + " HTTP/1.0\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        this.perSecond = perSecond;
        this.clock = Thread.ofPlatform().daemon().name("visitors").start(this::come);
    }

    void perSecond(double rate) {
        perSecond = rate;
    }

    private void come() {
        long due = System.nanoTime();
        try {
            while (true) {
                TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
                Thread.startVirtualThread(this::visit);
                due += (long) (1e9 / perSecond);
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    private void visit() {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.connect(server, PATIENCE_MILLIS);
            socket.getOutputStream().write(request);
            socket.getInputStream().readAllBytes();
        } catch (IOException e) {
            // A visitor who was turned away: the monitor saw it, which is what is tested.
        }
    }

    @Override
    public void close() {
        clock.interrupt();
    }
}
