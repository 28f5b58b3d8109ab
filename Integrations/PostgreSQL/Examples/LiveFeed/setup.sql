-- The table of the feed and its publication:
--   psql "$DATABASE_URL" -f Examples/LiveFeed/setup.sql
-- The server needs wal_level = logical, and the role of the service the attribute REPLICATION.
BEGIN;

CREATE TABLE posts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  author text NOT NULL CHECK (length(author) BETWEEN 1 AND 40),
  title text NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
  like_count integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE PUBLICATION feed FOR TABLE posts;

INSERT INTO posts (author, title, like_count) VALUES
  ('Ann', 'A store that follows the database', 5),
  ('Bob', 'Change sets instead of polling', 3),
  ('Cleo', 'What a publication publishes', 1);

COMMIT;
