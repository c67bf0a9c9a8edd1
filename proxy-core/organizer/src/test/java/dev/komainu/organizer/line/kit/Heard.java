package dev.komainu.organizer.line.kit;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Listener that stores all events of one side of an exchange. */
public class Heard implements StreamListener {

    public final CompletableFuture<StreamEnd> end = new CompletableFuture<>();
    public final CompletableFuture<Http2Headers> head = new CompletableFuture<>();
    public final List<String> interim = new ArrayList<>();
    public final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private int credited;
    private boolean takes;
    public volatile Http2Headers trailers;
    public volatile LineStream stream;
    public volatile boolean ended;
    public volatile int bytes;

    /**
     * Creates a listener.
     *
     * @param takes whether it consumes the bytes that come
     */
    public Heard(boolean takes) {
        this.takes = takes;
    }

    @Override
    public void head(Http2Headers told, boolean ends) {
        if (told.status().charAt(0) == '1') {
            interim.add(told.status().toString());
        } else if (!head.complete(told)) {
            throw new AssertionError("a second head: " + told);
        }
    }

    @Override
    public void data(ByteBuf data, boolean ends) {
        int count = data.readableBytes();
        byte[] copy = new byte[count];
        data.readBytes(copy);
        data.release();
        body.writeBytes(copy);
        bytes += count;
        ended |= ends;
        if (takes) {
            takeAll();
        }
    }

    /** Consumes all stored bytes, and from now on those that come. */
    public void takeAll() {
        takes = true;
        if (stream != null) {
            int count = bytes - credited;
            credited = bytes;
            stream.consumed(count);
        }
    }

    @Override
    public void trailers(Http2Headers fields) {
        trailers = fields;
    }

    @Override
    public void writable() {}

    @Override
    public void ended(StreamEnd how) {
        if (!end.complete(how)) {
            throw new AssertionError("ended twice: " + how);
        }
    }

    public StreamEnd end() throws Exception {
        return end.get(180, TimeUnit.SECONDS);
    }

    public String status() throws Exception {
        return head.get(180, TimeUnit.SECONDS).status().toString();
    }
}
