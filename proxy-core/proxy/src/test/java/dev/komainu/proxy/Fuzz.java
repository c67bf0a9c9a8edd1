package dev.komainu.proxy;

import dev.komainu.intermediary.kit.Corpus;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.RecordingOrigin;
import dev.komainu.intermediary.kit.Talker;
import dev.komainu.intermediary.message.BodyReader;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.message.ResponseHead;
import dev.komainu.seed.FuzzSeeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Feeds damaged messages to everything that reads what strangers wrote, for as long as told:
 *
 * <pre>
 *  java -cp 'proxy-core/target/test-classes:proxy-core/target/classes:proxy-core/target/lib/*:monitor/test-seeds/target/classes' \
 *      dev.komainu.proxy.Fuzz MINUTES [-seed=N] [TARGET ...]
 * </pre>
 *
 * An input is made from a seed of its own, which a failure tells. A run's first input is made from
 * the run's seed: so N may be either's. Inputs that once failed (fuzz/failed.txt) come before all
 * others.
 *
 * <p>Whatever the bytes: nothing is thrown, one input takes less than {@value #MOST_MILLIS} ms, how
 * a message is cut never changes its verdict, and whatever reaches the origin is lawful there by
 * another reader.
 */
public final class Fuzz {

    static final long MOST_MILLIS = 5_000;
    private static final int LONGEST = 20_000;
    private static final byte[] EDGES = {
        0, 1, -1, 127, -128, '\r', '\n', ' ', '\t', ':', ';', '"', ',', '0', '5', 'f'
    };

    /** The target that reads the input. */
    enum Target {
        REQUEST,
        RESPONSE,
        CHUNKS,
        /** Through a whole proxy; needs one. */
        PROXY
    }

    private static final List<String> REQUESTS = brief(
            Corpus.read("requests.txt").stream().map(Corpus.Message::bytes).toList());
    private static final List<String> RESPONSES = brief(
            Corpus.answers("responses.txt").stream().map(Corpus.Answer::bytes).toList());

    private final long seed;
    private final RequestHead request = new RequestHead();
    private final RequestHead requestCut = new RequestHead();
    private final ResponseHead response = new ResponseHead();
    private final ResponseHead responseCut = new ResponseHead();
    long inputs;
    long slowestNanos;

    Fuzz(long seed) {
        this.seed = seed;
    }

    private static List<String> brief(List<String> all) {
        return all.stream().filter(m -> m.length() < LONGEST).toList();
    }

    public static void main(String[] args) throws IOException {
        Duration time = Duration.ofSeconds((long) (Double.parseDouble(args[0]) * 60));
        List<String> names = new ArrayList<>(List.of(args).subList(1, args.length));
        FuzzSeeds seeds = FuzzSeeds.fromArguments(names);
        List<Target> targets = names.isEmpty()
                ? List.of(Target.values())
                : names.stream().map(Target::valueOf).toList();
        for (Target target : targets) {
            long seed = seeds.next();
            System.out.println(target + ": seed " + seed);
            Fuzz fuzz = new Fuzz(seed);
            fuzz.run(target, time);
            System.out.printf(
                    "%s: %d inputs in %d s, slowest %.1f ms%n",
                    target, fuzz.inputs, time.toSeconds(), fuzz.slowestNanos / 1e6);
        }
    }

    void run(Target target, Duration time) throws IOException {
        if (target != Target.PROXY) {
            run(target, time, null, null);
            return;
        }
        try (RecordingOrigin origin = new RecordingOrigin();
                ProxyFixture proxy = new ProxyFixture("origin", origin.url(), "workers", "1")) {
            run(target, time, origin, proxy);
        }
    }

    private void run(Target target, Duration time, RecordingOrigin origin, ProxyFixture proxy)
            throws IOException {
        for (long failedOnce : FuzzSeeds.failedOnce(Fuzz.class, target)) {
            timed(target, failedOnce, origin, proxy);
        }
        SplittableRandom seeds = new SplittableRandom(seed);
        long end = System.nanoTime() + time.toNanos();
        long input = seed;
        do {
            timed(target, input, origin, proxy);
            inputs++;
            input = seeds.nextLong();
        } while (System.nanoTime() < end);
    }

    private void timed(Target target, long input, RecordingOrigin origin, ProxyFixture proxy)
            throws IOException {
        long begun = System.nanoTime();
        SplittableRandom it = new SplittableRandom(input);
        try {
            switch (target) {
                case REQUEST -> request(it);
                case RESPONSE -> response(it);
                case CHUNKS -> chunks(it);
                case PROXY -> wire(it, origin, proxy);
            }
            long took = System.nanoTime() - begun;
            slowestNanos = Math.max(slowestNanos, took);
            check(took < MOST_MILLIS * 1_000_000, "nanoseconds", took);
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            throw new AssertionError(FuzzSeeds.failed("proxy-core/proxy", target, input, seed), e);
        }
    }

    private void request(SplittableRandom it) {
        byte[] bytes = damage(it, it.nextBoolean() ? Talker.of(it).bytes() : one(it, REQUESTS));
        RequestHead.Outcome whole = request.read(Unpooled.wrappedBuffer(bytes));
        RequestHead.Outcome cut = RequestHead.Outcome.INCOMPLETE;
        for (int end = 0; end < bytes.length && cut == RequestHead.Outcome.INCOMPLETE; ) {
            end = Math.min(bytes.length, end + 1 + it.nextInt(60));
            cut = requestCut.read(Unpooled.wrappedBuffer(bytes, 0, end));
        }
        check(bytes.length == 0 || whole == cut, whole + " whole, cut", cut);
        if (whole == RequestHead.Outcome.COMPLETE) {
            check(request.length() == requestCut.length(), "length", request.length());
            check(
                    request.contentLength() == requestCut.contentLength(),
                    "body",
                    request.contentLength());
            check(
                    request.pathAndQuery().equals(request.detached().pathAndQuery()),
                    "copy",
                    request.pathAndQuery());
        }
    }

    private void response(SplittableRandom it) {
        byte[] bytes = damage(it, one(it, RESPONSES));
        RequestHead.Outcome whole = response.read(Unpooled.wrappedBuffer(bytes));
        RequestHead.Outcome cut = RequestHead.Outcome.INCOMPLETE;
        for (int end = 0; end < bytes.length && cut == RequestHead.Outcome.INCOMPLETE; ) {
            end = Math.min(bytes.length, end + 1 + it.nextInt(60));
            cut = responseCut.read(Unpooled.wrappedBuffer(bytes, 0, end));
        }
        check(bytes.length == 0 || whole == cut, whole + " whole, cut", cut);
    }

    private static void chunks(SplittableRandom it) {
        String message = one(it, it.nextBoolean() ? REQUESTS : RESPONSES);
        int body = message.indexOf("\r\n\r\n");
        byte[] bytes = damage(it, body < 0 ? message : message.substring(body + 4));
        StringBuilder whole = new StringBuilder();
        StringBuilder cut = new StringBuilder();
        String one = drain(bytes, bytes.length + 1, whole, it);
        String many = drain(bytes, 9, cut, it);
        check(one.equals(many), one + " whole, cut", many);
        // For a refused body, the bytes reported before the refusal depend on the cuts; for a
        // complete body they do not.
        check(
                !one.equals("DONE") || whole.toString().contentEquals(cut),
                "body",
                whole + " / " + cut);
    }

    private static String drain(byte[] bytes, int most, StringBuilder body, SplittableRandom it) {
        BodyReader reader = new BodyReader();
        reader.beginChunked();
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        BodyReader.Outcome outcome = BodyReader.Outcome.MORE;
        for (int end = 0; end < bytes.length && outcome == BodyReader.Outcome.MORE; ) {
            end = Math.min(bytes.length, end + 1 + it.nextInt(most));
            end = most > bytes.length ? bytes.length : end;
            in.writerIndex(end);
            outcome = reader.read(in, s -> body.append(s.toString(StandardCharsets.ISO_8859_1)));
        }
        return outcome.name();
    }

    private static void wire(SplittableRandom it, RecordingOrigin origin, ProxyFixture proxy)
            throws IOException {
        byte[] bytes = damage(it, it.nextBoolean() ? Talker.of(it).bytes() : one(it, REQUESTS));
        try (RawClient client = proxy.client()) {
            client.send(new String(bytes, StandardCharsets.ISO_8859_1));
            client.socket().shutdownOutput();
            client.rest();
        } catch (java.net.SocketException reset) {
            // This is permitted.
        }
        check(origin.violations.isEmpty(), "at the origin", origin.violations);
        try (RawClient client = proxy.client()) {
            check(client.get("/alive").status() == 200, "alive", bytes.length);
        }
        origin.complete.clear();
    }

    private static String one(SplittableRandom it, List<String> texts) {
        return texts.get(it.nextInt(texts.size()));
    }

    private static byte[] damage(SplittableRandom it, String original) {
        byte[] bytes = original.getBytes(StandardCharsets.ISO_8859_1);
        for (int times = it.nextInt(5); times > 0 && bytes.length > 0; times--) {
            int at = it.nextInt(bytes.length);
            int length = Math.min(bytes.length - at, 1 + it.nextInt(30));
            switch (it.nextInt(6)) {
                case 0 -> bytes[at] ^= (byte) (1 << it.nextInt(8));
                case 1 -> bytes[at] = EDGES[it.nextInt(EDGES.length)];
                case 2 -> bytes = Arrays.copyOf(bytes, at);
                case 3 -> bytes = joined(bytes, 0, at, at + length, bytes.length);
                case 4 -> bytes = joined(bytes, 0, at + length, at, bytes.length);
                default -> {
                    int from = it.nextInt(bytes.length - length + 1);
                    System.arraycopy(bytes, from, bytes, at, length);
                }
            }
        }
        return bytes;
    }

    private static byte[] joined(byte[] bytes, int from, int to, int nextFrom, int nextTo) {
        byte[] joined =
                Arrays.copyOf(Arrays.copyOfRange(bytes, from, to), to - from + nextTo - nextFrom);
        System.arraycopy(bytes, nextFrom, joined, to - from, nextTo - nextFrom);
        return joined;
    }

    private static void check(boolean holds, String what, Object value) {
        if (!holds) {
            throw new AssertionError(what + ": " + value);
        }
    }
}
