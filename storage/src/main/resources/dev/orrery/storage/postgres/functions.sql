-- A cluster time: seconds in the upper half; below them microseconds, and what tells partitions apart
-- that commit in the same one.
CREATE OR REPLACE FUNCTION next_time(a_last bigint, a_part bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_micros bigint := (extract(epoch FROM v_now) * 1000000)::bigint;
BEGIN
  RETURN greatest(
    ((v_micros / 1000000) << 32) | ((v_micros % 1000000) * 4096 + (a_part & 4095)),
    a_last + 1);
END
$$;

-- One commit: of one batch, or of several that came together. Everything that it takes for granted is
-- checked under the locks of its partitions. What holds not is returned, and nothing is changed;
-- else all is applied. New documents have negative numbers, -1 the first of its partition.
CREATE OR REPLACE FUNCTION commit_batch(
  a_slot bigint, a_prev bigint, a_call bigint,
  a_parts bigint[], a_colls int[], a_epochs bigint[], a_new bigint[], a_docs bigint[],
  a_bytes bigint[],
  a_owner bigint, a_claims int, a_limit bigint,
  w_p int[], w_kind int[], w_rid bigint[], w_ver bigint[], w_key bytea[], w_pkey bytea[],
  w_body bytea[], w_delta bytea[], w_before bytea[],
  c_p int[], c_idx int[], c_key bytea[],
  x_p int[], x_idx int[], x_key bytea[], x_rid bigint[],
  u_p int[], u_idx int[], u_key bytea[], u_rid bigint[],
  v_p int[], v_idx int[], v_key bytea[],
  e_p int[], e_idx int[], e_key bytea[], e_tail bytea[], e_rid bigint[],
  g_p int[], g_idx int[], g_key bytea[], g_tail bytea[], g_rid bigint[],
  k_p int[], k_pkey bytea[], k_bytes bigint[], k_docs bigint[],
  s_p int[], s_idx int[], s_multikey bigint[], s_numbers bigint[]
) RETURNS TABLE (r_what int, r_n int, r_value bigint, r_docs bigint, r_bytes bigint, r_keys bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_bases bigint[];
  v_epochs bigint[];
  v_keys bigint[];
  v_last bigint;
  v_time bigint;
  v_bad bigint := 0;
  v_rows bigint;
BEGIN
  SELECT array_agg(q.next_rid ORDER BY q.part), array_agg(q.epoch ORDER BY q.part), max(q.time)
    INTO v_bases, v_epochs, v_last
    FROM (SELECT part, epoch, next_rid, time FROM partition
           WHERE part = ANY (a_parts) AND state = 0 ORDER BY part FOR UPDATE) q;
  IF v_epochs IS DISTINCT FROM a_epochs THEN
    RETURN QUERY SELECT 1, 0, 0::bigint, 0::bigint, 0::bigint, 0::bigint;
    RETURN;
  END IF;

  IF EXISTS (SELECT 1 FROM claim) THEN
    RETURN QUERY
      SELECT 5, w.n::int, 0::bigint, 0::bigint, 0::bigint, 0::bigint
        FROM unnest(w_p, w_key) WITH ORDINALITY w(p, key, n)
        JOIN claim l ON l.coll = a_colls[w.p] AND l.idx = -1 AND l.key = w.key
       WHERE l.owner <> a_owner;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_bad := v_bad + v_rows;
    RETURN QUERY
      SELECT 6, u.n::int, 0::bigint, 0::bigint, 0::bigint, 0::bigint
        FROM unnest(u_p, u_idx, u_key) WITH ORDINALITY u(p, idx, key, n)
        JOIN claim l ON l.coll = a_colls[u.p] AND l.idx = u.idx AND l.key = u.key
       WHERE l.owner <> a_owner;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_bad := v_bad + v_rows;
  END IF;
  IF a_owner <> 0 AND (SELECT count(*) FROM claim WHERE owner = a_owner) <> a_claims THEN
    RETURN QUERY SELECT 7, 0, 0::bigint, 0::bigint, 0::bigint, 0::bigint;
    RETURN;
  END IF;

  RETURN QUERY
    SELECT 3, w.n::int, 0::bigint, 0::bigint, 0::bigint, 0::bigint
      FROM unnest(w_p, w_rid, w_ver) WITH ORDINALITY w(p, rid, ver, n)
      LEFT JOIN doc d ON d.part = a_parts[w.p] AND d.rid = w.rid AND d.ver = w.ver
     WHERE w.rid >= 0 AND d.rid IS NULL;
  GET DIAGNOSTICS v_rows = ROW_COUNT;
  v_bad := v_bad + v_rows;
  RETURN QUERY
    SELECT 2, c.n::int, u.rid, 0::bigint, 0::bigint, 0::bigint
      FROM unnest(c_p, c_idx, c_key) WITH ORDINALITY c(p, idx, key, n)
      JOIN uniq u ON u.part = a_parts[c.p] AND u.idx = c.idx AND u.key = c.key;
  GET DIAGNOSTICS v_rows = ROW_COUNT;
  v_bad := v_bad + v_rows;
  IF cardinality(x_p) > 0 THEN
    RETURN QUERY
      SELECT 8, x.n::int, 0::bigint, 0::bigint, 0::bigint, 0::bigint
        FROM unnest(x_p, x_idx, x_key, x_rid) WITH ORDINALITY x(p, idx, key, rid, n)
       WHERE EXISTS (SELECT 1 FROM ent e
                      WHERE e.part = a_parts[x.p] AND e.idx = x.idx AND e.key = x.key
                        AND e.rid <> x.rid);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_bad := v_bad + v_rows;
  END IF;
  IF cardinality(k_p) > 0 THEN
    RETURN QUERY
      SELECT 4, k.n::int, coalesce(s.bytes, 0), 0::bigint, 0::bigint, 0::bigint
        FROM unnest(k_p, k_pkey, k_bytes) WITH ORDINALITY k(p, pkey, bytes, n)
        LEFT JOIN pkstat s ON s.part = a_parts[k.p] AND s.pkey = k.pkey
       WHERE k.bytes > 0 AND coalesce(s.bytes, 0) + k.bytes > a_limit;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_bad := v_bad + v_rows;
  END IF;
  IF v_bad > 0 THEN
    RETURN;
  END IF;

  -- The transaction has its id by now: no other that begins after a look at the feed, and is not seen
  -- by it, can get a time before that look.
  v_time := next_time(v_last, a_parts[1]);
  IF cardinality(v_p) > 0 THEN
    DELETE FROM uniq u USING unnest(v_p, v_idx, v_key) AS v(p, idx, key)
     WHERE u.part = a_parts[v.p] AND u.idx = v.idx AND u.key = v.key;
  END IF;
  IF cardinality(u_p) > 0 THEN
    INSERT INTO uniq (part, idx, key, rid)
    SELECT a_parts[u.p], u.idx, u.key,
           CASE WHEN u.rid < 0 THEN v_bases[u.p] - u.rid ELSE u.rid END
      FROM unnest(u_p, u_idx, u_key, u_rid) AS u(p, idx, key, rid);
  END IF;
  IF cardinality(g_p) > 0 THEN
    DELETE FROM ent e USING unnest(g_p, g_idx, g_key, g_tail, g_rid) AS g(p, idx, key, tail, rid)
     WHERE e.part = a_parts[g.p] AND e.idx = g.idx AND e.key = g.key AND e.rid = g.rid
       AND e.hash = CASE WHEN g.tail = ''::bytea THEN ''::bytea ELSE sha256(g.tail) END;
  END IF;
  IF cardinality(e_p) > 0 THEN
    INSERT INTO ent (part, idx, key, rid, hash, tail)
    SELECT a_parts[e.p], e.idx, e.key,
           CASE WHEN e.rid < 0 THEN v_bases[e.p] - e.rid ELSE e.rid END,
           CASE WHEN e.tail = ''::bytea THEN ''::bytea ELSE sha256(e.tail) END, e.tail
      FROM unnest(e_p, e_idx, e_key, e_tail, e_rid) AS e(p, idx, key, tail, rid);
  END IF;
  DELETE FROM doc d USING unnest(w_p, w_kind, w_rid) AS w(p, kind, rid)
   WHERE w.kind = 2 AND d.part = a_parts[w.p] AND d.rid = w.rid;
  UPDATE doc d SET ver = v_time, body = w.body
    FROM unnest(w_p, w_kind, w_rid, w_body) AS w(p, kind, rid, body)
   WHERE w.kind = 1 AND d.part = a_parts[w.p] AND d.rid = w.rid;
  INSERT INTO doc (part, rid, ver, pkey, body)
  SELECT a_parts[w.p], v_bases[w.p] - w.rid, v_time, w.pkey, w.body
    FROM unnest(w_p, w_kind, w_rid, w_pkey, w_body) AS w(p, kind, rid, pkey, body)
   WHERE w.kind = 0;

  v_keys := array_fill(0::bigint, ARRAY[cardinality(a_parts)]);
  IF cardinality(k_p) > 0 THEN
    SELECT array_agg(coalesce(n.gone, 0) ORDER BY o.p) INTO v_keys
      FROM generate_subscripts(a_parts, 1) AS o(p)
      LEFT JOIN (SELECT k.p, -count(*) AS gone FROM unnest(k_p, k_pkey) AS k(p, pkey)
                   JOIN pkstat s ON s.part = a_parts[k.p] AND s.pkey = k.pkey
                  GROUP BY k.p) n ON n.p = o.p;
    INSERT INTO pkstat AS s (part, pkey, bytes, docs)
    SELECT a_parts[k.p], k.pkey, k.bytes, k.docs
      FROM unnest(k_p, k_pkey, k_bytes, k_docs) AS k(p, pkey, bytes, docs)
    ON CONFLICT (part, pkey)
      DO UPDATE SET bytes = s.bytes + excluded.bytes, docs = s.docs + excluded.docs;
    DELETE FROM pkstat s USING unnest(k_p, k_pkey) AS k(p, pkey)
     WHERE s.part = a_parts[k.p] AND s.pkey = k.pkey AND s.docs = 0;
    SELECT array_agg(v_keys[o.p] + coalesce(n.here, 0) ORDER BY o.p) INTO v_keys
      FROM generate_subscripts(a_parts, 1) AS o(p)
      LEFT JOIN (SELECT k.p, count(*) AS here FROM unnest(k_p, k_pkey) AS k(p, pkey)
                   JOIN pkstat s ON s.part = a_parts[k.p] AND s.pkey = k.pkey
                  GROUP BY k.p) n ON n.p = o.p;
  END IF;
  IF cardinality(s_p) > 0 THEN
    INSERT INTO idxstat AS s (part, idx, multikey, numbers)
    SELECT a_parts[i.p], i.idx, i.multikey, i.numbers
      FROM unnest(s_p, s_idx, s_multikey, s_numbers) AS i(p, idx, multikey, numbers)
    ON CONFLICT (part, idx) DO UPDATE
      SET multikey = s.multikey | excluded.multikey, numbers = s.numbers | excluded.numbers;
  END IF;
  INSERT INTO feed (part, time, seq, kind, coll, body, delta, before)
  SELECT a_parts[w.p], v_time, w.n, w.kind, a_colls[w.p], w.body, w.delta, w.before
    FROM unnest(w_p, w_kind, w_body, w_delta, w_before) WITH ORDINALITY
         AS w(p, kind, body, delta, before, n);
  RETURN QUERY
    UPDATE partition q
       SET time = v_time, next_rid = q.next_rid + a_new[o.p], docs = q.docs + a_docs[o.p],
           bytes = q.bytes + a_bytes[o.p], keys = q.keys + v_keys[o.p]
      FROM generate_subscripts(a_parts, 1) AS o(p)
     WHERE q.part = a_parts[o.p]
    RETURNING 0, o.p, v_time, q.docs, q.bytes, q.keys;
  IF a_owner <> 0 THEN
    DELETE FROM claim WHERE owner = a_owner;
  END IF;
  IF a_prev = 0 THEN
    INSERT INTO call (slot, call, time, fenced, at) VALUES (a_slot, a_call, v_time, false, now());
  ELSE
    UPDATE call SET call = a_call, time = v_time, at = now()
     WHERE slot = a_slot AND call = a_prev AND NOT fenced;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'the outcome of this call was asked for before it came';
    END IF;
  END IF;
END
$$;

-- Keeps others from changing a document, and from taking the unique keys that it gives up or gets.
-- Answers with what refuses it: 1 the catalog is not this one, 2 a conflict, 3 a key is taken.
CREATE OR REPLACE FUNCTION claim_keys(
  a_part bigint, a_epoch bigint, a_coll int, a_owner bigint,
  a_key bytea, a_expects boolean, a_first boolean, a_stays boolean, a_seen bigint,
  g_idx int[], g_key bytea[], c_idx int[], c_key bytea[]
) RETURNS TABLE (r_what int, r_n int)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_ver bigint;
  v_claim record;
BEGIN
  PERFORM 1 FROM partition WHERE part = a_part AND epoch = a_epoch AND state = 0 FOR UPDATE;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 1, 0;
    RETURN;
  END IF;
  IF EXISTS (SELECT 1 FROM claim
              WHERE coll = a_coll AND idx = -1 AND key = a_key AND owner <> a_owner) THEN
    RETURN QUERY SELECT 2, 0;
    RETURN;
  END IF;
  IF a_first THEN
    SELECT d.ver INTO v_ver FROM uniq u JOIN doc d ON d.part = u.part AND d.rid = u.rid
     WHERE u.part = a_part AND u.idx = -1 AND u.key = a_key;
    IF FOUND <> a_expects OR v_ver > a_seen THEN
      RETURN QUERY SELECT 2, 0;
      RETURN;
    END IF;
  END IF;
  FOR i IN 1 .. cardinality(c_idx) LOOP
    SELECT l.owner, l.present INTO v_claim FROM claim l
     WHERE l.coll = a_coll AND l.idx = c_idx[i] AND l.key = c_key[i];
    IF FOUND THEN
      IF v_claim.owner <> a_owner THEN
        RETURN QUERY SELECT 2, 0;
        RETURN;
      ELSIF v_claim.present THEN
        RETURN QUERY SELECT 3, i;
        RETURN;
      END IF;
    ELSE
      SELECT d.ver INTO v_ver FROM uniq u JOIN doc d ON d.part = u.part AND d.rid = u.rid
       WHERE u.part = a_part AND u.idx = c_idx[i] AND u.key = c_key[i];
      IF FOUND THEN
        RETURN QUERY SELECT CASE WHEN v_ver > a_seen THEN 2 ELSE 3 END, i;
        RETURN;
      END IF;
    END IF;
  END LOOP;
  INSERT INTO claim (coll, idx, key, owner, present, at)
  VALUES (a_coll, -1, a_key, a_owner, a_stays, now())
  ON CONFLICT (coll, idx, key) DO UPDATE SET present = excluded.present;
  INSERT INTO claim (coll, idx, key, owner, present, at)
  SELECT a_coll, g.idx, g.key, a_owner, false, now() FROM unnest(g_idx, g_key) AS g(idx, key)
  ON CONFLICT (coll, idx, key) DO UPDATE SET present = false;
  INSERT INTO claim (coll, idx, key, owner, present, at)
  SELECT a_coll, c.idx, c.key, a_owner, true, now() FROM unnest(c_idx, c_key) AS c(idx, key)
  ON CONFLICT (coll, idx, key) DO UPDATE SET present = true;
END
$$;
