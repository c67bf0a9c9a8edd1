package dev.komainu.organizer.line.endpoint;

import dev.komainu.organizer.line.LineTls;

/** A line of plain HTTP/2 with prior knowledge. */
class PlainLineTest extends LineContract {

    @Override
    LineTls server() {
        return null;
    }

    @Override
    LineTls client() {
        return null;
    }
}
