#!/usr/bin/env python3
"""Follows streams of a server and rebuilds their results: an interpreter of the messages that shares no code with the server.

    follow.py '{"port": 4321, "seed": 7, "streams": [{"target": "/streams/Post", "mode": "sse", "cuts": true}]}'

Each time that a stream is up to date it writes a line of JSON: the number of the stream, the offset, the rows in order. It ends
when its standard input does. A stream has a `mode`, `sse`, `long-poll`, `catch-up` or, another each time, `any`; with `cuts` the connection is closed after
a random number of bytes, and a new one goes on at the last offset; with `pause` it waits up to so many seconds between
requests. With `"client": "durable-streams"` the package of that name does all that is HTTP.
"""
import http.client
import json
import os
import random
import sys
import threading
import time
import urllib.parse

WRITING = threading.Lock()


class Cut(Exception):
    """The connection was closed on purpose."""


class Rows:
    """The rows of a stream in order, as (key, value), by the names of their entities."""

    def __init__(self):
        self.entities = {}

    @property
    def rows(self):
        return [row for _, rows in sorted(self.entities.items()) for row in rows]

    def apply(self, messages):
        """Applies the messages of one response or event: those of one txid are one step."""
        step, entities = [], self.entities
        for message in [*messages, None]:
            if step and (message is None or message["headers"]["txid"] != step[0]["headers"]["txid"]):
                entities = self.step(entities, step)
                step = []
            step.append(message)
        self.entities = entities

    @classmethod
    def step(cls, entities, messages):
        headers = [message["headers"] for message in messages]
        if any(each.get("control") == "reset" for each in headers):
            assert headers[0].get("control") == "reset", "a reset stands first"
        if any(each.get("control") == "snapshot-start" for each in headers):
            entities = {}
        entities = dict(entities)
        changes = [message for message in messages if "operation" in message["headers"]]
        for entity in {message["type"] for message in changes}:
            entities[entity] = cls.change(
                entities.get(entity, []), [message for message in changes if message["type"] == entity])
        count = sum(map(len, entities.values()))
        for each in headers:
            assert each.get("rowCount", count) == count, "the count of a snapshot is another"
        return entities

    @staticmethod
    def change(rows, changes):
        gone = set()
        for message in changes:
            place = message["headers"].get("from")
            if place is not None:
                assert rows[place][0] == message["key"], f"{message} takes {rows[place]}"
                assert place not in gone, "a row is taken twice"
                gone.add(place)
            assert message["headers"]["operation"] != "delete" or place is not None, "a deletion has a place"
        rows = [row for place, row in enumerate(rows) if place not in gone]
        put = [message for message in changes if message["headers"]["operation"] == "insert"
               or message["headers"]["operation"] == "update" and "from" in message["headers"]]
        for message in sorted(put, key=lambda message: message["headers"]["index"]):
            place = message["headers"]["index"]
            assert place <= len(rows), f"{message} is put behind the end"
            rows.insert(place, (message["key"], message["value"]))
        assert len({key for key, _ in rows}) == len(rows), "a key stands twice"
        for message in changes:
            if message["headers"]["operation"] == "update" and "from" not in message["headers"]:
                place = message["headers"]["index"]
                assert rows[place][0] == message["key"], f"{message} replaces {rows[place]}"
                assert rows[place][1] != message["value"], "an update changes nothing"
                rows[place] = (message["key"], message["value"])
        return rows


class Follower:
    """One stream."""

    def __init__(self, number, port, stream, seed):
        self.number, self.port, self.stream = number, port, stream
        self.random = random.Random(seed * 1000 + number)
        self.rows, self.offset, self.cursor = Rows(), "-1", None
        # How many times as many bytes come before a cut: more after each that came before something new.
        self.factor = 1

    def report(self, count):
        assert count is None or int(count) == len(self.rows.rows), f"{len(self.rows.rows)} rows, and {count} at the server"
        line = json.dumps({"stream": self.number, "offset": self.offset, "rows": self.rows.rows})
        with WRITING:
            print(line, flush=True)

    def target(self, live):
        parts = {"offset": self.offset}
        if live:
            parts["live"] = live
        if live and self.cursor and self.random.random() < 0.5:
            parts["cursor"] = self.cursor
        target = self.stream["target"]
        return target + ("&" if "?" in target else "?") + urllib.parse.urlencode(parts)

    def run(self):
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            # After so many bytes of a body the connection is cut.
            self.budget = self.random.choice([10, 100, 1_000, 10_000]) * self.random.random() * self.factor \
                if self.stream.get("cuts") else float("inf")
            before = self.offset
            try:
                self.request(connection)
            except Cut:
                self.factor = self.factor * 2 if self.offset == before else 1
            except (OSError, http.client.HTTPException):
                time.sleep(0.01)
            finally:
                connection.close()
            if self.stream.get("pause"):
                time.sleep(self.random.random() * self.stream["pause"])

    def read(self, response, size):
        data = response.read1(size)
        self.budget -= len(data)
        if self.budget < 0:
            raise Cut
        return data

    def request(self, connection):
        mode = self.stream["mode"]
        if mode == "any":
            mode = self.random.choice(["sse", "long-poll", "catch-up"])
        live = {"sse": "sse", "long-poll": "long-poll", "catch-up": None}[mode]
        connection.request("GET", self.target(live))
        response = connection.getresponse()
        if response.status == 503:
            time.sleep(0.01)
            return
        assert response.status in (200, 204), f"the status is {response.status}"
        if live == "sse":
            self.events(response)
            return
        data = b""
        while part := self.read(response, self.random.choice([1, 7, 65_536])):
            data += part
        if response.status == 200:
            self.rows.apply(json.loads(data))
        self.cursor = response.getheader("Stream-Cursor")
        self.offset = response.getheader("Stream-Next-Offset")
        if response.getheader("Stream-Up-To-Date") == "true":
            self.report(response.getheader("Stream-Row-Count"))

    def events(self, response):
        text, name, data, pending = b"", None, [], []
        while part := self.read(response, self.random.choice([1, 7, 65_536])):
            *lines, text = (text + part).split(b"\n")
            for line in lines:
                if line.startswith(b"event: "):
                    name = line[7:]
                elif line.startswith(b"data: "):
                    data.append(line[6:])
                elif not line and name == b"data":
                    # What a mark has not confirmed is read again after a cut.
                    pending, data = pending + json.loads(b"\n".join(data)), []
                elif not line and name == b"control":
                    control, data = json.loads(b"\n".join(data)), []
                    self.rows.apply(pending)
                    pending = []
                    self.offset, self.cursor = control["streamNextOffset"], control["streamCursor"]
                    if control.get("upToDate"):
                        self.report(control.get("rowCount"))


class StrangersFollower(Follower):
    """The same, where the package `durable-streams` does all that is HTTP."""

    def run(self):
        import durable_streams
        live = {"sse": "sse", "long-poll": "long-poll", "catch-up": False}[self.stream["mode"]]
        url = f"http://127.0.0.1:{self.port}{self.stream['target']}"
        while True:
            with durable_streams.stream(url, offset=self.offset, live=live) as response:
                before = self.offset
                for batch in response.iter_json_batches():
                    self.rows.apply(batch)
                    if live != "sse":
                        self.offset = response.offset
                        self.report(None)
                if live == "sse" and response.offset != before:
                    self.offset = response.offset
                    self.report(None)


def run(follower):
    try:
        follower.run()
    except BaseException as error:
        with WRITING:
            print(json.dumps({"stream": follower.number, "error": f"{type(error).__name__}: {error}"}), flush=True)


def main():
    task = json.loads(sys.argv[1])
    kind = StrangersFollower if task.get("client") else Follower
    for number, stream in enumerate(task["streams"]):
        follower = kind(number, task["port"], stream, task["seed"])
        threading.Thread(target=run, args=[follower], daemon=True).start()
    sys.stdin.read()
    os._exit(0)


main()
