# One image for linux/amd64 and linux/arm64:
#   docker buildx build --platform linux/amd64,linux/arm64 -t orrery .
#   docker run -p 127.0.0.1:27017:27017 -v orrery:/data orrery

# The jar is the same for all platforms, so it is built once, on the builder's own.
FROM --platform=$BUILDPLATFORM maven:3.9-eclipse-temurin-17 AS build
WORKDIR /source
COPY . .
RUN mvn -B -q -pl server -am -DskipTests package

FROM eclipse-temurin:21-jdk
RUN groupadd --system --gid 10001 orrery \
    && useradd --system --uid 10001 --gid orrery --home-dir /data --no-create-home orrery \
    && mkdir /data /opt/orrery \
    && chown orrery:orrery /data \
    && chmod 0700 /data
COPY --from=build /source/server/target/orrery.jar /opt/orrery/orrery.jar

# A short run writes down the classes that a start needs; later starts map them into memory.
RUN cd /opt/orrery \
    && (timeout --preserve-status 20 java -XX:ArchiveClassesAtExit=orrery.jsa -jar orrery.jar \
        --port 0 --console-port off --ephemeral || true)

USER orrery
VOLUME /data
EXPOSE 27017
# Inside the container every address is reachable only through a published port: publish it on
# 127.0.0.1, or set ORRERY_AUTH=true.
ENV ORRERY_BIND=0.0.0.0 ORRERY_DATA=/data ORRERY_INSECURE=true
STOPSIGNAL SIGTERM
# The port is open only while the server serves.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/27017"]
ENTRYPOINT ["java", "-Xlog:disable", "-Xlog:all=error,cds*=off:stderr", \
    "-XX:SharedArchiveFile=/opt/orrery/orrery.jsa", "-XX:MaxRAMPercentage=50", \
    "-jar", "/opt/orrery/orrery.jar"]
