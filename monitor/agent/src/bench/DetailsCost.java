import dev.komainu.agent.host.ApplicationPool;
import dev.komainu.agent.host.HostProbe;
import dev.komainu.agent.host.HostSampler;
import dev.komainu.agent.host.WatchedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The cost of a host sample with a server of many threads: CPU time of the sampling thread, without
 * doubt and in doubt. {@code details-cost.sh} runs both sides.
 */
public final class DetailsCost {

    private static final int WARM_UP = 400;
    private static final int SAMPLES = 40;
    private static final long GAP_MILLIS = 200;

    private DetailsCost() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("serve")) {
            serve(Integer.parseInt(arguments[1]), arguments[2].equals("busy"));
        } else {
            // PROCESS PORT, of a server with a pool: PROCESS PORT POOL PATH
            List<ApplicationPool> pools = arguments.length < 4
                    ? List.of()
                    : List.of(new ApplicationPool(
                            Long.parseLong(arguments[2]), arguments[3], null));
            List<WatchedServer> servers = List.of(new WatchedServer(
                    "bench:1",
                    Long.parseLong(arguments[0]),
                    Integer.parseInt(arguments[1]),
                    List.of(),
                    false,
                    List.of(),
                    pools));
            measure(servers, false);
            measure(servers, true);
        }
    }

    /** Threads that read from silent clients (idle), or write to clients that read nothing. */
    private static void serve(int threads, boolean busy) throws IOException, InterruptedException {
        List<Socket> open = new ArrayList<>();
        try (ServerSocket server = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < threads; i++) {
                open.add(new Socket(server.getInetAddress(), server.getLocalPort()));
                Socket accepted = server.accept();
                open.add(accepted);
                Thread.ofPlatform().daemon().start(() -> {
                    try {
                        byte[] much = new byte[4_096];
                        while (busy) {
                            accepted.getOutputStream().write(much);
                        }
                        accepted.getInputStream().read();
                    } catch (IOException e) {
                        // The end.
                    }
                });
            }
            System.out.println(ProcessHandle.current().pid() + " " + server.getLocalPort());
            Thread.sleep(600_000);
        }
    }

    private static void measure(List<WatchedServer> servers, boolean inDoubt)
            throws InterruptedException {
        try (HostSampler sampler = new HostSampler("bench", HostProbe.ofThisSystem())) {
            for (int i = 0; i < WARM_UP; i++) {
                sampler.sample(servers, null, inDoubt);
                Thread.sleep(20);
            }
            long[] micros = new long[SAMPLES];
            for (int i = 0; i < SAMPLES; i++) {
                Thread.sleep(GAP_MILLIS);
                micros[i] = sampler.sample(servers, null, inDoubt).samplingMicros();
            }
            Arrays.sort(micros);
            System.out.println((inDoubt ? "in doubt" : "at rest ") + ": median "
                    + micros[SAMPLES / 2] + " us, p90 " + micros[SAMPLES * 9 / 10] + " us");
        }
    }
}
